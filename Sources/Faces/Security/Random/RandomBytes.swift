import LatchkeyCryptoSuite

/// A source of random bytes. There is one, the kernel's.
public typealias SecRandomRef = OpaquePointer

// Never points anywhere.
nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef? = nil

/// Fills `bytes` with `count` random bytes from the kernel.
///
/// - Returns: `errSecParam` for a negative count.
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    unsafe SystemEntropy().fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
    return errSecSuccess
}
