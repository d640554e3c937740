internal import LatchkeyPropertyListDER
internal import LatchkeySyncCore
internal import LatchkeySyncStore

/// The fields of a message, which are read in their order.
package struct TransportFields {
    private var rest: ArraySlice<PropertyValue>

    init(_ fields: ArraySlice<PropertyValue>) {
        rest = fields
    }

    mutating func next() throws(TransportMessageFailure) -> PropertyValue {
        guard let value = rest.popFirst() else { throw .fieldMissing }
        return value
    }

    func finish() throws(TransportMessageFailure) {
        guard rest.isEmpty else { throw .fieldsLeft(rest.count) }
    }

    mutating func integer() throws(TransportMessageFailure) -> Int64 {
        guard case .integer(let number) = try next() else { throw .wrongType }
        return number
    }

    /// - Parameter range: the numbers that are allowed.
    mutating func number(in range: ClosedRange<Int64>) throws(TransportMessageFailure) -> Int {
        let number = try integer()
        guard range.contains(number) else { throw .badValue }
        return Int(number)
    }

    mutating func boolean() throws(TransportMessageFailure) -> Bool {
        guard case .boolean(let truth) = try next() else { throw .wrongType }
        return truth
    }

    mutating func data() throws(TransportMessageFailure) -> [UInt8] {
        guard case .data(let bytes) = try next() else { throw .wrongType }
        return bytes
    }

    mutating func string() throws(TransportMessageFailure) -> String {
        guard case .string(let text) = try next() else { throw .wrongType }
        return text
    }

    mutating func identifier<Subject>() throws(TransportMessageFailure) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>(try data()) else { throw .badValue }
        return identifier
    }

    mutating func prefix() throws(TransportMessageFailure) -> ObjectPrefix {
        guard let prefix = ObjectPrefix(text: try string()) else { throw .badValue }
        return prefix
    }

    mutating func name() throws(TransportMessageFailure) -> StoreObjectName {
        try Self.name(try next())
    }

    private static func name(_ value: PropertyValue) throws(TransportMessageFailure) -> StoreObjectName {
        guard case .string(let text) = value else { throw .wrongType }
        guard let name = StoreObjectName(text) else { throw .badValue }
        return name
    }

    mutating func list(limit: Int) throws(TransportMessageFailure) -> [PropertyValue] {
        guard case .array(let values) = try next() else { throw .wrongType }
        guard values.count <= limit else { throw .tooMany(found: values.count, limit: limit) }
        return values
    }

    mutating func names(limit: Int) throws(TransportMessageFailure) -> [StoreObjectName] {
        var names: [StoreObjectName] = []
        for value in try list(limit: limit) { names.append(try Self.name(value)) }
        return names
    }

    /// Objects as names and bytes in turn. Each name once.
    mutating func objects(
        limit: Int = StoreLimits.names
    ) throws(TransportMessageFailure) -> [StoreObjectName: [UInt8]] {
        let values = try list(limit: 2 * limit)
        guard values.count.isMultiple(of: 2) else { throw .badValue }
        var objects: [StoreObjectName: [UInt8]] = [:]
        for index in stride(from: 0, to: values.count, by: 2) {
            let name = try Self.name(values[index])
            guard case .data(let bytes) = values[index + 1] else { throw .wrongType }
            guard objects.updateValue(bytes, forKey: name) == nil else { throw .badValue }
        }
        return objects
    }

    mutating func mark() throws(TransportMessageFailure) -> HeadMark {
        guard let mark = HeadMark(bytes: try data()) else { throw .badValue }
        return mark
    }
}

extension PropertyValue {
    static func names(_ names: some Sequence<StoreObjectName>) -> PropertyValue {
        .array(names.map { .string("\($0)") })
    }

    static func objects(_ objects: [StoreObjectName: [UInt8]]) -> PropertyValue {
        .array(objects.sorted { $0.key < $1.key }.flatMap { [.string("\($0.key)"), .data($0.value)] })
    }
}
