internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The padding of sealed content: 1, 2 or 4 KiB, and from there multiples of 4 KiB, so that a store learns little from
/// lengths.
///
/// Length of the content (4, big-endian) || content || zeros.
package enum ContentPadding {
    static let lengthByteCount = 4
    private static let step = 4096

    /// Returns the length of content that is padded.
    package static func paddedByteCount(_ byteCount: Int) -> Int {
        let needed = byteCount + lengthByteCount
        if let small = [1024, 2048].first(where: { needed <= $0 }) { return small }
        return (needed + step - 1) / step * step
    }

    static func padded(_ content: SecretBox) -> SecretBox {
        precondition(content.count <= Int(UInt32.max) - step, "content has less than 4 GiB")
        let length = UInt32(content.count).bigEndianBytes
        return unsafe SecretBox(count: paddedByteCount(content.count)) { output in
            unsafe output.copyBytes(from: length)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[lengthByteCount...])
            unsafe content.withBytes { unsafe rest.copyMemory(from: $0) }
        }
    }

    /// Returns nil unless the bytes are exactly those that ``padded(_:)`` writes.
    static func content(of padded: SecretBox) -> SecretBox? {
        guard padded.count >= lengthByteCount else { return nil }
        let (length, isZero) = unsafe padded.withBytes { bytes in
            let length = unsafe bytes.prefix(lengthByteCount).reduce(0) { $0 << 8 | Int($1) }
            return unsafe (length, bytes.dropFirst(lengthByteCount).dropFirst(length).allSatisfy { $0 == 0 })
        }
        guard isZero, padded.count == paddedByteCount(length) else { return nil }
        return padded.slice(lengthByteCount..<lengthByteCount + length)
    }
}
