import LatchkeySecretMemory

/// Writes the fields of a mailbox message; numbers are big-endian. Secrets go beside the body, in order.
struct MessageWriter {
    private(set) var body: [UInt8]
    private(set) var secrets: [SecretBox] = []

    init(version: UInt8, kind: UInt8) {
        body = [version, kind]
    }

    mutating func byte(_ value: UInt8) {
        body.append(value)
    }

    mutating func flag(_ value: Bool) {
        byte(value ? 1 : 0)
    }

    mutating func number(_ value: UInt64, byteCount: Int = 8) {
        for shift in stride(from: (byteCount - 1) * 8, through: 0, by: -8) {
            body.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func seconds(_ value: Double) {
        number(value.bitPattern)
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    /// A count in two bytes. What does not fit is far beyond every limit of the reader, which names it.
    mutating func count(_ value: Int) {
        number(UInt64(UInt16(clamping: value)), byteCount: 2)
    }

    /// Length and bytes; what does not fit in two bytes of length is cut and refused by the reader.
    mutating func bytes(_ value: [UInt8]) {
        count(value.count)
        body += value.prefix(Int(UInt16.max))
    }

    /// With four bytes of length, for what may be longer; else as ``bytes(_:)``.
    mutating func longBytes(_ value: [UInt8]) {
        let kept = value.prefix(Int(UInt32.max))
        number(UInt64(kept.count), byteCount: 4)
        body += kept
    }

    /// Text for people; a longer one is cut at a character.
    mutating func text(_ value: String) {
        var kept = Substring(value)
        while kept.utf8.count > EnclaveMessageCodec.textByteCount { kept.removeLast() }
        bytes(Array(kept.utf8))
    }

    mutating func secret(_ value: SecretBox) {
        secrets.append(value)
    }
}
