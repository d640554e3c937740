package import ArgumentParser
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// `latchkey item gone`.
package struct ItemGone: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gone", abstract: "Why is my item gone? Items that ended on purpose, with date and reason.",
        discussion: """
            Without a query: everything that ended on this device. With one: whether the item that it names is among \
            that. Names of items are not kept, but a query finds them:

              latchkey item gone class=genp service=mail account=alice
            """)

    @Option(help: ArgumentHelp("The number of items to show without a query.", valueName: "n"))
    package var limit = 50

    @OptionGroup package var query: QueryArguments
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard (1...EndedItem.listLimit).contains(limit) else {
            throw ValidationError("The limit is between 1 and \(EndedItem.listLimit).")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        guard query.query.isEmpty, query.accessGroup == nil else { return try answer(device) }
        let items = try device.endedItems(limit: limit)
        let text = items.isEmpty ? "No item ended on this device." : items.map(Self.text).joined(separator: "\n")
        return Report(text, json: .object([("ended", .array(items.map(Self.json)))]))
    }

    /// Says whether the item of the query is there, has ended, or is not known.
    private func answer(_ device: DeviceAccess) throws(CommandFailure) -> Report {
        // No prompt is shown: the item does not have to be opened.
        let pairs = try query.pairs().filter { !$0.isReturnKey } + [.failsIfAsking]
        let owner = try query.authority(device, common)
        let reply = device.keychain.perform(
            ItemRequest(operation: .find, query: pairs, wantsResult: false, owner: owner))
        switch (reply.code, reply.refusal) {
        case (.success, _), (.interactionNotAllowed, _):
            return Report(
                "An item that fits is there.", json: .object([("gone", .boolean(false)), ("why", .null)]))
        case (.itemNotFound, let refusal?) where refusal.rule == .itemEnded:
            return Report(
                refusal.reason, json: .object([("gone", .boolean(true)), ("why", .string(refusal.reason))]))
        case (.itemNotFound, _):
            throw CommandFailure(
                .itemNotFound, "No item that fits is there, and none ended on this device.",
                why: "A program deleted it, or it was never here, or it belongs to another access group.",
                advice: "`latchkey audit tail` shows who deleted what; --access-group looks in another group.",
                code: .itemNotFound)
        default: throw CommandFailure(reply)
        }
    }

    /// One item in one line.
    package static func text(_ item: EndedItem) -> String {
        let date = CalendarDate.text(item.ending.date)
        let time = item.ending.isNoticedLater ? "by \(date)" : date
        let created = CalendarDate.text(item.created)
        return "\(time)  \(item.itemClass) of \(PlainText.escaped(item.accessGroup)), added \(created): "
            + EndedWords.reason(item.ending.reason)
    }

    private static func json(_ item: EndedItem) -> JSONValue {
        .object([
            ("class", .string(item.itemClass)), ("accessGroup", .string(item.accessGroup)),
            ("reason", .string(item.ending.reason.rawValue)),
            ("date", .string(CalendarDate.text(item.ending.date))),
            ("noticedLater", .boolean(item.ending.isNoticedLater)),
            ("added", .string(CalendarDate.text(item.created))),
        ])
    }
}

/// Items that ended, in words.
enum EndedWords {
    static func reason(_ reason: EndReason) -> String {
        switch reason {
        case .passcodeRemoved: "the passcode was removed, and with it when-passcode-set items"
        case .fingersChanged: "the enrolled fingers changed, and it was bound to those before"
        case .keyDeleted: "its key in the enclave was deleted"
        }
    }

    /// Nil where nothing ended.
    static func summary(_ counts: [EndedItemCount]) -> String? {
        let parts = counts.filter { $0.count > 0 }.map { count in
            let day = CalendarDate.text(count.lastDate).prefix(10)
            let why =
                switch count.reason {
                case .passcodeRemoved: "with the passcode"
                case .fingersChanged: "with former fingers"
                case .keyDeleted: "with a deleted key"
                }
            return "\(count.count) \(why) (last on \(day))"
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    static func json(_ counts: [EndedItemCount]) -> JSONValue {
        .array(
            counts.map { count in
                .object([
                    ("reason", .string(count.reason.rawValue)), ("count", .integer(count.count)),
                    ("last", .string(CalendarDate.text(count.lastDate))),
                ])
            })
    }
}
