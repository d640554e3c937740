internal import LatchkeyPropertyListDER

/// A reader of the fields of a dictionary that refuses missing, additional and mistyped ones.
struct FieldReader {
    private var fields: [String: PropertyValue]

    init(_ value: PropertyValue, field: String) throws(StatementFailure) {
        guard case .dictionary(let fields) = value else { throw .wrongType(field: field) }
        self.fields = fields
    }

    mutating func optional(_ key: String) -> PropertyValue? {
        fields.removeValue(forKey: key)
    }

    mutating func required(_ key: String) throws(StatementFailure) -> PropertyValue {
        guard let value = optional(key) else { throw .missingField(key) }
        return value
    }

    mutating func data(_ key: String) throws(StatementFailure) -> [UInt8] {
        try required(key).data(field: key)
    }

    mutating func optionalData(_ key: String) throws(StatementFailure) -> [UInt8]? {
        guard let value = optional(key) else { return nil }
        return try value.data(field: key)
    }

    mutating func integer(_ key: String) throws(StatementFailure) -> Int64 {
        guard case .integer(let number) = try required(key) else { throw .wrongType(field: key) }
        return number
    }

    mutating func boolean(_ key: String) throws(StatementFailure) -> Bool {
        guard case .boolean(let truth) = try required(key) else { throw .wrongType(field: key) }
        return truth
    }

    /// Reads byte strings that must be in ascending order, each once. The limit is checked before they are converted.
    mutating func sortedData(_ key: String, limit: Int) throws(StatementFailure) -> [[UInt8]] {
        guard case .array(let values) = try required(key) else { throw .wrongType(field: key) }
        guard values.count <= limit else { throw .tooMany(field: key, found: values.count, limit: limit) }
        var strings: [[UInt8]] = []
        for value in values {
            let string = try value.data(field: key)
            if let last = strings.last, !last.lexicographicallyPrecedes(string) { throw .notSorted(field: key) }
            strings.append(string)
        }
        return strings
    }

    /// Throws ``StatementFailure/unknownField(_:)`` if a field was not read.
    func finish() throws(StatementFailure) {
        if let key = fields.keys.min() { throw .unknownField(key) }
    }
}

extension PropertyValue {
    fileprivate func data(field: String) throws(StatementFailure) -> [UInt8] {
        guard case .data(let bytes) = self else { throw .wrongType(field: field) }
        return bytes
    }
}

extension FixedBytes {
    init(_ bytes: [UInt8], field: String) throws(StatementFailure) {
        guard let fixed = Self(bytes) else { throw .badValue(field: field) }
        self = fixed
    }
}
