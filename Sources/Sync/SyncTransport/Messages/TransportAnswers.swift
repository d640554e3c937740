package import LatchkeyPropertyListDER
package import LatchkeySyncCore
package import LatchkeySyncStore

/// The answer that a call was carried out.
package struct TransportDone: TransportAnswer, Hashable {
    package init() {}
    package var fields: [PropertyValue] { [] }
    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {}
}

/// The circles of a store.
package struct CircleList: TransportAnswer, Hashable {
    package let circles: [CircleIdentifier]

    package init(_ circles: [CircleIdentifier]) { self.circles = circles }

    package var fields: [PropertyValue] { [.array(circles.map { .data($0.bytes) })] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        var circles: [CircleIdentifier] = []
        for value in try fields.list(limit: StoreLimits.circles) {
            guard case .data(let bytes) = value else { throw .wrongType }
            guard let circle = CircleIdentifier(bytes) else { throw .badValue }
            circles.append(circle)
        }
        self.circles = circles
    }
}

/// The text that names a store, for instance "folder:/srv/sync".
package struct StoreText: TransportAnswer, Hashable {
    /// The greatest number of bytes in UTF-8: more than any path has.
    package static let byteLimit = 8_192

    package let text: String

    package init(_ text: String) { self.text = text }

    package var fields: [PropertyValue] { [.string(text)] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        text = try fields.string()
        guard text.utf8.count <= Self.byteLimit else { throw .badValue }
    }
}

extension StoreListing: TransportAnswer {
    package var fields: [PropertyValue] {
        [.names(names), .integer(Int64(foreignCount)), .boolean(isComplete)]
    }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        self.init(
            names: try fields.names(limit: StoreLimits.listedNames),
            foreignCount: try fields.number(in: 0...Int64(Int32.max)), isComplete: try fields.boolean())
    }
}

extension StoreReading: TransportAnswer {
    package var fields: [PropertyValue] {
        [.objects(objects), .names(damaged.sorted()), .names(rest)]
    }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        self.init(
            objects: try fields.objects(), damaged: Set(try fields.names(limit: StoreLimits.names)),
            rest: try fields.names(limit: StoreLimits.names))
    }
}

extension StoreNews: TransportAnswer {
    package var fields: [PropertyValue] {
        [.names(statements), .names(unchanged.sorted()), .objects(changed), .names(rest)]
    }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        self.init(
            statements: try fields.names(limit: StoreLimits.listedNames),
            unchanged: Set(try fields.names(limit: StoreLimits.names)),
            changed: try fields.objects(limit: StoreLimits.listedNames),
            rest: try fields.names(limit: StoreLimits.listedNames))
    }
}

extension HeadMark: TransportAnswer {
    package var fields: [PropertyValue] { [.data(bytes)] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        self = try fields.mark()
    }
}

extension StoreHint: TransportAnswer {
    package var fields: [PropertyValue] { [.integer(Int64(rawValue))] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        guard let hint = StoreHint(rawValue: UInt8(try fields.number(in: 0...255))) else { throw .badValue }
        self = hint
    }
}
