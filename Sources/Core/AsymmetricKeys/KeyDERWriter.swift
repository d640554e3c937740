import LatchkeyEncoding
import LatchkeySecretMemory

/// Encoding of DER from public bytes and secret ones, which go from locked memory to locked memory.
enum KeyDERWriter {
    static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        DERHeader.bytes(tag, contentCount: contents.count) + contents
    }

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        value(DERTag.sequence, Array(parts.joined()))
    }

    /// Encodes a number that is not negative, most significant byte first; leading zeros are left out.
    static func number(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        guard let first = digits.first else { return [DERTag.integer, 1, 0] }
        return value(DERTag.integer, first >= 0x80 ? [0] + digits : digits)
    }

    static func bitString(_ bytes: [UInt8]) -> [UInt8] {
        value(DERTag.bitString, [0] + bytes)
    }

    /// Puts a secret between public bytes.
    static func joined(_ before: [UInt8], _ secret: SecretBox, _ after: [UInt8] = []) -> SecretBox {
        unsafe SecretBox(count: before.count + secret.count + after.count) { room in
            unsafe room.copyBytes(from: before)
            unsafe secret.withBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[before.count...]).copyMemory(from: bytes)
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[(before.count + secret.count)...])
                .copyBytes(from: after)
        }
    }
}
