import LatchkeyItemModel
import LatchkeyPropertyListDER

/// Items that ended or would end: device requests that are lists, like those about teams and apps.
extension MessageCoding {
    package static let endedItemsPerReply = 4096

    enum EndingKind: Int64 {
        case preview = 20
        case list = 21
    }

    /// Nil for other requests.
    static func endingRequest(_ request: DeviceRequest) -> PropertyValue? {
        switch request {
        case .endings(let cause):
            .array([.integer(EndingKind.preview.rawValue), .integer(cause.rawValue)])
        case .endedItems(let limit):
            .array([.integer(EndingKind.list.rawValue), .integer(Int64(limit))])
        default: nil
        }
    }

    /// Nil if the list begins with another number.
    static func endingRequest(_ values: [PropertyValue]) throws(MessageCodingFailure) -> DeviceRequest? {
        var fields = MessageFields(values[...], secrets: [])
        guard let kind = EndingKind(rawValue: try fields.integer("device request")) else { return nil }
        let request: DeviceRequest
        switch kind {
        case .preview:
            guard let cause = EndingCause(rawValue: try fields.integer("cause")) else { throw .badField("cause") }
            request = .endings(cause)
        case .list:
            let limit = try fields.integer("limit")
            request = .endedItems(limit: Int(min(max(limit, 0), Int64(endedItemsPerReply))))
        }
        try fields.finish()
        return request
    }

    static func fields(of preview: EndingPreview) -> [PropertyValue] {
        [.dictionary(preview.counts.mapValues { .integer($0) }), .integer(preview.unseenCount)]
    }

    static func endingPreview(_ fields: inout MessageFields) throws(MessageCodingFailure) -> EndingPreview {
        EndingPreview(counts: try fields.counts("counts"), unseenCount: try fields.count("unseen items"))
    }

    static func value(of count: EndedItemCount) -> PropertyValue {
        .array([.string(count.reason.rawValue), .integer(count.count), .date(count.lastDate)])
    }

    static func endedCounts(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [EndedItemCount] {
        try fields.elements("ended items", limit: EndReason.allCases.count) { part throws(MessageCodingFailure) in
            EndedItemCount(
                reason: try reason(&part), count: try part.count("count"), lastDate: try part.date("date"))
        }
    }

    static func value(of item: EndedItem) -> PropertyValue {
        .array([
            .string(item.itemClass), .string(item.accessGroup), .string(item.ending.reason.rawValue),
            .date(item.ending.date), .boolean(item.ending.isNoticedLater), .date(item.created),
        ])
    }

    static func endedItems(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [EndedItem] {
        try fields.elements("ended items", limit: endedItemsPerReply, endedItem)
    }

    private static func endedItem(_ part: inout MessageFields) throws(MessageCodingFailure) -> EndedItem {
        let itemClass = try part.text("class")
        let accessGroup = try part.text("access group")
        let reason = try reason(&part)
        let date = try part.date("date")
        let isNoticedLater = try part.boolean("noticed later")
        let created = try part.date("created")
        return EndedItem(
            itemClass: itemClass, accessGroup: accessGroup,
            ending: Ending(reason, at: date, isNoticedLater: isNoticedLater), created: created)
    }

    private static func reason(_ fields: inout MessageFields) throws(MessageCodingFailure) -> EndReason {
        guard let reason = EndReason(rawValue: try fields.text("reason")) else { throw .badField("reason") }
        return reason
    }
}
