import CLatchkeyLibcrypto
import CLatchkeyShims
package import CommonCrypto
import Glibc

@c @implementation
package func CCSymmetricKeyWrap(
    _ algorithm: CCWrappingAlgorithm, _ iv: UnsafePointer<UInt8>!, _ ivLen: Int, _ kek: UnsafePointer<UInt8>!,
    _ kekLen: Int, _ rawKey: UnsafePointer<UInt8>!, _ rawKeyLen: Int, _ wrappedKey: UnsafeMutablePointer<UInt8>!,
    _ wrappedKeyLen: UnsafeMutablePointer<Int>!
) -> CInt {
    guard let wrappedKeyLen = unsafe wrappedKeyLen else { return .parameter }
    let room = unsafe wrappedKeyLen.pointee
    unsafe wrappedKeyLen.pointee = 0
    guard let wrappedKey = unsafe wrappedKey else { return .parameter }
    guard let wrapping = unsafe KeyWrap(iv, ivLen, kek, kekLen), let rawKey = unsafe rawKey,
        KeyWrap.keyByteCounts.contains(rawKeyLen), rawKeyLen % 8 == 0,
        UInt(bitPattern: room) >= rawKeyLen + KeyWrap.overhead
    else {
        // Wipes the output only if its length is possible.
        if KeyWrap.outputByteCounts.contains(room) { unsafe lk_wipe(wrappedKey, room) }
        return .parameter
    }
    // libcrypto first moves the key to its position in the output: the two may overlap.
    unsafe wrappedKeyLen.pointee = unsafe wrapping.wrap(rawKey, rawKeyLen, into: wrappedKey)
    return .success
}

@c @implementation
package func CCSymmetricKeyUnwrap(
    _ algorithm: CCWrappingAlgorithm, _ iv: UnsafePointer<UInt8>!, _ ivLen: Int, _ kek: UnsafePointer<UInt8>!,
    _ kekLen: Int, _ wrappedKey: UnsafePointer<UInt8>!, _ wrappedKeyLen: Int, _ rawKey: UnsafeMutablePointer<UInt8>!,
    _ rawKeyLen: UnsafeMutablePointer<Int>!
) -> CInt {
    guard let rawKeyLen = unsafe rawKeyLen else { return .parameter }
    let room = unsafe rawKeyLen.pointee
    unsafe rawKeyLen.pointee = 0
    let byteCount = CCSymmetricUnwrappedSize(algorithm, wrappedKeyLen)
    guard let wrapping = unsafe KeyWrap(iv, ivLen, kek, kekLen), let wrappedKey = unsafe wrappedKey,
        let rawKey = unsafe rawKey, wrappedKeyLen >= 0, UInt(bitPattern: room) >= byteCount
    else { return .parameter }
    guard KeyWrap.keyByteCounts.contains(byteCount), byteCount % 8 == 0 else { return .decode }
    // The output may be the input, which is read once for each initial value.
    guard let scratch = unsafe malloc(byteCount) else { return .memory }
    defer {
        unsafe lk_wipe(scratch, byteCount)
        unsafe free(scratch)
    }
    guard unsafe wrapping.unwrap(wrappedKey, wrappedKeyLen, into: scratch.assumingMemoryBound(to: UInt8.self)) else {
        unsafe lk_wipe(rawKey, byteCount)
        return .decode
    }
    unsafe memcpy(rawKey, scratch, byteCount)
    unsafe rawKeyLen.pointee = byteCount
    return .success
}

@c @implementation
package func CCSymmetricWrappedSize(_ algorithm: CCWrappingAlgorithm, _ rawKeyLen: Int) -> Int {
    rawKeyLen &+ KeyWrap.overhead
}

@c @implementation
package func CCSymmetricUnwrappedSize(_ algorithm: CCWrappingAlgorithm, _ wrappedKeyLen: Int) -> Int {
    // C takes an unsigned number.
    UInt(bitPattern: wrappedKeyLen) < UInt(KeyWrap.overhead) ? 0 : wrappedKeyLen &- KeyWrap.overhead
}

/// A wrapping key and an initial value, both of the right length.
@safe private struct KeyWrap {
    /// The number of bytes that a wrapped key has more than its key.
    static let overhead = 8

    /// libcrypto's limits.
    static let keyByteCounts = 16...(1 << 30)
    static let outputByteCounts = 1...(keyByteCounts.upperBound + overhead)

    private let initialValue: UInt64
    private let key: UnsafePointer<UInt8>
    private let bitCount: CInt

    init?(_ iv: UnsafePointer<UInt8>?, _ ivByteCount: Int, _ kek: UnsafePointer<UInt8>?, _ kekByteCount: Int) {
        guard let kek = unsafe kek, [16, 24, 32].contains(kekByteCount) else { return nil }
        if let iv = unsafe iv {
            guard ivByteCount >= CCrfc3394_ivLen else { return nil }
            initialValue = unsafe UnsafeRawPointer(iv).loadUnaligned(as: UInt64.self)
        } else {
            initialValue = Self.standardValue
        }
        unsafe key = unsafe kek
        bitCount = CInt(kekByteCount * 8)
    }

    private static var standardValue: UInt64 { unsafe UnsafeRawPointer(CCrfc3394_iv).loadUnaligned(as: UInt64.self) }

    func wrap(_ bytes: UnsafePointer<UInt8>, _ count: Int, into output: UnsafeMutablePointer<UInt8>) -> Int {
        var schedule = AES_KEY()
        defer { unsafe lk_wipe(&schedule, MemoryLayout<AES_KEY>.size) }
        unsafe AES_set_encrypt_key(key, bitCount, &schedule)
        return unsafe withUnsafeBytes(of: initialValue) { value in
            let value = unsafe value.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe Int(AES_wrap_key(&schedule, value, output, bytes, CUnsignedInt(count)))
        }
    }

    /// Tries its initial value and then the standard one, like Apple's library.
    func unwrap(_ bytes: UnsafePointer<UInt8>, _ count: Int, into output: UnsafeMutablePointer<UInt8>) -> Bool {
        var schedule = AES_KEY()
        defer { unsafe lk_wipe(&schedule, MemoryLayout<AES_KEY>.size) }
        unsafe AES_set_decrypt_key(key, bitCount, &schedule)
        func isUnwrapped(_ initialValue: UInt64) -> Bool {
            unsafe withUnsafeBytes(of: initialValue) { value in
                let value = unsafe value.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe AES_unwrap_key(&schedule, value, output, bytes, CUnsignedInt(count)) > 0
            }
        }
        if isUnwrapped(initialValue) { return true }
        return initialValue != Self.standardValue && isUnwrapped(Self.standardValue)
    }
}
