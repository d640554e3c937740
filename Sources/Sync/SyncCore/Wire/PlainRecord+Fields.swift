internal import LatchkeyPropertyListDER

extension PlainRecord {
    var value: PropertyValue {
        var fields: [String: PropertyValue] = [
            "n": .data(record.name.bytes), "v": .data(record.version.bytes), "k": .integer(record.state.kind),
        ]
        if let base = record.base { fields["b"] = .data(base.bytes) }
        if let dot { fields["d"] = .data(dot.bytes) }
        switch record.state {
        case .live(let content):
            fields["h"] = .data(content.digest.bytes)
            fields["t"] = .data(content.dates.bytes)
            fields["z"] = .integer(Int64(content.zone.rawValue))
            fields["i"] = .data(attributes)
        case .withheld(let digest, let zone):
            fields["h"] = .data(digest.bytes)
            fields["z"] = .integer(Int64(zone.rawValue))
        case .gone: break
        }
        return .dictionary(fields)
    }

    init(
        parsing bytes: UnsafeRawBufferPointer, secret: Range<Int>, place: ContentPlace
    ) throws(StatementFailure) {
        let value: PropertyValue
        do throws(DERFailure) {
            let limits = DERReader.Limits(depth: ObjectLimits.depth, values: ObjectLimits.values)
            value = try unsafe DERReader.decode(bytes, limits: limits)
        } catch {
            throw .encoding(error)
        }
        var reader = try FieldReader(value, field: "")
        let name: ItemName = try reader.identifier("n")
        guard let version = ItemVersion(try reader.data("v")) else { throw .badValue(field: "v") }
        var base: ItemVersion?
        if let bytes = try reader.optionalData("b") {
            base = ItemVersion(bytes)
            if base == nil { throw .badValue(field: "b") }
        }
        var dot: Dot?
        if let bytes = try reader.optionalData("d") {
            dot = Dot(bytes)
            if dot == nil { throw .badValue(field: "d") }
        }
        var attributes: [UInt8] = []
        let state: SyncRecord.State
        switch try reader.integer("k") {
        case 1:
            let digest = try reader.hash("h")
            guard let dates = ItemDates(try reader.data("t")) else { throw .badValue(field: "t") }
            let zone = try reader.zone("z")
            attributes = try reader.data("i")
            state = .live(
                ItemContent(
                    digest: digest, dates: dates, zone: zone, byteCount: attributes.count + secret.count, place: place))
        case 2: state = .gone
        case 3: state = .withheld(digest: try reader.hash("h"), zone: try reader.zone("z"))
        case let kind: throw .unknownBody(kind)
        }
        try reader.finish()
        if case .live = state {} else if !secret.isEmpty { throw .badValue(field: "k") }
        let record = SyncRecord(name: name, version: version, base: base, state: state)
        self.init(record, dot: dot, attributes: attributes, secret: secret)
    }
}

extension SyncRecord.State {
    fileprivate var kind: Int64 {
        switch self {
        case .live: 1
        case .gone: 2
        case .withheld: 3
        }
    }
}

extension FieldReader {
    fileprivate mutating func zone(_ key: String) throws(StatementFailure) -> ZoneClass {
        guard let zone = UInt8(exactly: try integer(key)).flatMap(ZoneClass.init(rawValue:)) else {
            throw .badValue(field: key)
        }
        return zone
    }
}
