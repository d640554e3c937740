package import LatchkeySecretMemory

/// Reads the fields of an untrusted mailbox message.
package struct MessageReader {
    static let textByteCount = 2048

    private let body: [UInt8]
    private let secrets: [SecretBox]
    private var position = 0
    private var secretsRead = 0

    init(body: [UInt8], secrets: [SecretBox]) {
        self.body = body
        self.secrets = secrets
    }

    package mutating func byte() throws(EnclaveMessageFailure) -> UInt8 {
        guard position < body.count else { throw .truncated }
        defer { position += 1 }
        return body[position]
    }

    package mutating func flag(_ field: String) throws(EnclaveMessageFailure) -> Bool {
        let value = try byte()
        guard value <= 1 else { throw .badValue(field: field, found: UInt64(value)) }
        return value == 1
    }

    package mutating func number(byteCount: Int = 8) throws(EnclaveMessageFailure) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<byteCount { value = value << 8 | UInt64(try byte()) }
        return value
    }

    package mutating func seconds(_ field: String) throws(EnclaveMessageFailure) -> Double {
        let bits = try number()
        let value = Double(bitPattern: bits)
        guard value.isFinite, value >= 0 else { throw .badValue(field: field, found: bits) }
        return value
    }

    package mutating func optional<Value>(
        _ field: String, _ read: (inout MessageReader) throws(EnclaveMessageFailure) -> Value
    ) throws(EnclaveMessageFailure) -> Value? {
        try flag(field) ? try read(&self) : nil
    }

    package mutating func count(_ field: String, limit: Int) throws(EnclaveMessageFailure) -> Int {
        let count = Int(try number(byteCount: 2))
        guard count <= limit else { throw .tooLarge(field: field, found: count, limit: limit) }
        return count
    }

    package mutating func bytes(_ field: String, limit: Int) throws(EnclaveMessageFailure) -> [UInt8] {
        try next(try count(field, limit: limit))
    }

    /// Reads bytes with a length of four bytes, for fields that may be too long for two.
    package mutating func longBytes(_ field: String, limit: Int) throws(EnclaveMessageFailure) -> [UInt8] {
        let count = Int(try number(byteCount: 4))
        guard count <= limit else { throw .tooLarge(field: field, found: count, limit: limit) }
        return try next(count)
    }

    /// Reads bytes of a length that both sides know.
    package mutating func bytes(count: Int) throws(EnclaveMessageFailure) -> [UInt8] {
        try next(count)
    }

    private mutating func next(_ count: Int) throws(EnclaveMessageFailure) -> [UInt8] {
        guard count <= body.count - position else { throw .truncated }
        defer { position += count }
        return Array(body[position..<position + count])
    }

    package mutating func text(_ field: String) throws(EnclaveMessageFailure) -> String {
        let bytes = try bytes(field, limit: Self.textByteCount)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .textNotUTF8(field: field) }
        return text
    }

    package mutating func choice<Value: RawRepresentable<UInt8>>(
        _ field: String, of type: Value.Type
    ) throws(EnclaveMessageFailure) -> Value {
        let raw = try byte()
        guard let value = Value(rawValue: raw) else { throw .badValue(field: field, found: UInt64(raw)) }
        return value
    }

    package mutating func secret(_ lengths: ClosedRange<Int>) throws(EnclaveMessageFailure) -> SecretBox {
        guard secretsRead < secrets.count else { throw .secretMissing }
        let secret = secrets[secretsRead]
        guard lengths.contains(secret.count) else { throw .badSecretLength(found: secret.count) }
        secretsRead += 1
        return secret
    }

    /// Checks that the message was read to its end.
    func finish() throws(EnclaveMessageFailure) {
        guard position == body.count else { throw .trailingBytes(body.count - position) }
        guard secretsRead == secrets.count else { throw .secretsLeft(secrets.count - secretsRead) }
    }
}
