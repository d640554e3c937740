package import LatchkeySecretMemory

/// Writes the fields of a mailbox message; numbers are big-endian. Secrets go beside the body, in order.
package struct MessageWriter {
    private(set) var body: [UInt8]
    private(set) var secrets: [SecretBox] = []

    init(version: UInt8, _ number: MessageNumber) {
        body = [version, number.kind]
        if let part = number.part { body.append(part) }
    }

    package mutating func byte(_ value: UInt8) {
        body.append(value)
    }

    package mutating func flag(_ value: Bool) {
        byte(value ? 1 : 0)
    }

    package mutating func number(_ value: UInt64, byteCount: Int = 8) {
        for shift in stride(from: (byteCount - 1) * 8, through: 0, by: -8) {
            body.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    package mutating func seconds(_ value: Double) {
        number(value.bitPattern)
    }

    package mutating func optional<Value>(_ value: Value?, _ write: (inout MessageWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    /// Writes a count of two bytes. A larger count is clamped; it exceeds every limit of the reader, which refuses it.
    package mutating func count(_ value: Int) {
        number(UInt64(UInt16(clamping: value)), byteCount: 2)
    }

    /// Writes a length of two bytes and the bytes. Bytes that are too long are cut, and refused by the reader.
    package mutating func bytes(_ value: [UInt8]) {
        count(value.count)
        body += value.prefix(Int(UInt16.max))
    }

    /// Writes a length of four bytes and the bytes, for fields that may be too long for ``bytes(_:)``.
    package mutating func longBytes(_ value: [UInt8]) {
        let kept = value.prefix(Int(UInt32.max))
        number(UInt64(kept.count), byteCount: 4)
        body += kept
    }

    /// Writes text for people. Text that is too long is cut at a character.
    package mutating func text(_ value: String) {
        var kept = Substring(value)
        while kept.utf8.count > MessageReader.textByteCount { kept.removeLast() }
        bytes(Array(kept.utf8))
    }

    package mutating func secret(_ value: SecretBox) {
        secrets.append(value)
    }
}
