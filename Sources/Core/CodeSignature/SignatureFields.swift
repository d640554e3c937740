import LatchkeyPropertyListDER

/// The fields of a statement or a signature, parsed from unchecked bytes.
struct SignatureFields {
    private static let limits = DERReader.Limits(depth: 16, values: 4096)

    private let fields: [String: PropertyValue]
    private let what: String

    /// Refuses bytes that are not exactly the canonical encoding of a dictionary.
    init(decoding bytes: [UInt8], what: String) throws(SignatureFailure) {
        self.what = what
        let value: PropertyValue
        do throws(DERFailure) {
            value = try DERReader.decode(bytes, limits: Self.limits)
        } catch {
            throw .malformed("its \(what) is not a property list (\(error))")
        }
        guard case .dictionary(let fields) = value else { throw .malformed("its \(what) is not a dictionary") }
        // One statement has only one encoding, so that one signature never covers two encodings of it.
        guard DERWriter.encode(value) == bytes else { throw .malformed("its \(what) is not in canonical form") }
        self.fields = fields
    }

    func expect(count: Int) throws(SignatureFailure) {
        guard fields.count == count else { throw .malformed("its \(what) has \(fields.count) fields, not \(count)") }
    }

    func integer(_ key: String) throws(SignatureFailure) -> Int {
        guard case .integer(let number) = fields[key] else { throw wrong(key) }
        return Int(number)
    }

    func text(_ key: String) throws(SignatureFailure) -> String {
        guard case .string(let text) = fields[key] else { throw wrong(key) }
        return text
    }

    func data(_ key: String) throws(SignatureFailure) -> [UInt8] {
        guard case .data(let bytes) = fields[key] else { throw wrong(key) }
        return bytes
    }

    func date(_ key: String) throws(SignatureFailure) -> Double {
        guard case .date(let seconds) = fields[key] else { throw wrong(key) }
        return seconds
    }

    func dictionary(_ key: String) throws(SignatureFailure) -> [String: PropertyValue] {
        guard case .dictionary(let dictionary) = fields[key] else { throw wrong(key) }
        return dictionary
    }

    private func wrong(_ key: String) -> SignatureFailure {
        .malformed("its \(what) has no usable field \"\(key)\"")
    }
}
