import LatchkeySecretMemory

/// Padding that hides the exact length of a secret: the sealed form reveals only a multiple of 20 bytes, as in Apple's
/// keychain.
///
/// 1 to 20 bytes follow the secret, up to a multiple of 20. The value of each is their number.
enum SecretPadding {
    private static let block = 20

    static func padded(_ secret: SecretBox) -> SecretBox {
        let padCount = block - secret.count % block
        return unsafe SecretBox(count: secret.count + padCount) { output in
            unsafe secret.withBytes { unsafe output.copyMemory(from: $0) }
            for index in secret.count..<secret.count + padCount { unsafe output[index] = UInt8(padCount) }
        }
    }

    /// Returns the secret without its padding; nil if the padding is not valid.
    static func unpadded(_ padded: SecretBox) -> SecretBox? {
        unsafe padded.withBytes { bytes in
            guard bytes.count % block == 0, let last = unsafe bytes.last, (1...block).contains(Int(last)) else {
                return nil
            }
            return unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast(Int(last))))
        }
    }
}
