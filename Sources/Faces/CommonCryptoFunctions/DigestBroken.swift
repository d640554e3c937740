import CLatchkeyLibcrypto
import CLatchkeyShims
package import CommonCrypto
import LatchkeyCryptoMisuse

// MD4, MD5 and SHA-1. Apple's contexts of these are the same structs as libcrypto's. The length of a context's
// half-filled block is cut to a block's length, so that an uninitialised context gives a wrong digest and is not
// dangerous. The last call wipes its context before it writes: the digest may lie over it.

private func same(_ context: UnsafeMutablePointer<CC_MD4_CTX>) -> UnsafeMutablePointer<MD4_CTX> {
    unsafe UnsafeMutableRawPointer(context).assumingMemoryBound(to: MD4_CTX.self)
}

private func same(_ context: UnsafeMutablePointer<CC_MD5_CTX>) -> UnsafeMutablePointer<MD5_CTX> {
    unsafe UnsafeMutableRawPointer(context).assumingMemoryBound(to: MD5_CTX.self)
}

private func same(_ context: UnsafeMutablePointer<CC_SHA1_CTX>) -> UnsafeMutablePointer<SHA_CTX> {
    unsafe UnsafeMutableRawPointer(context).assumingMemoryBound(to: SHA_CTX.self)
}

@c @implementation
package func CC_MD4_Init(_ c: UnsafeMutablePointer<CC_MD4_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    return unsafe MD4_Init(same(c))
}

@c @implementation
package func CC_MD4_Update(_ c: UnsafeMutablePointer<CC_MD4_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    unsafe c.pointee.num &= 63
    unsafe BrokenDigestWatch.takes(data, Int(len), context: c)
    return unsafe MD4_Update(same(c), data, Int(len))
}

@c @implementation
package func CC_MD4_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD4_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let md = unsafe md else { return 1 }
    var state = unsafe c.pointee
    state.num &= 63
    unsafe lk_wipe(c, MemoryLayout<CC_MD4_CTX>.size)
    defer { unsafe lk_wipe(&state, MemoryLayout<CC_MD4_CTX>.size) }
    let status = unsafe MD4_Final(md, same(&state))
    unsafe BrokenDigestWatch.gives(.md4, md, context: c)
    return status
}

@c @implementation
package func CC_MD4(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe BrokenDigestWatch.takes(data, Int(len), context: md)
    let result = unsafe Digest.md4.digest(data, Int(len), md)
    unsafe BrokenDigestWatch.gives(.md4, result, context: md)
    return unsafe result
}

@c @implementation
package func CC_MD5_Init(_ c: UnsafeMutablePointer<CC_MD5_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    return unsafe MD5_Init(same(c))
}

@c @implementation
package func CC_MD5_Update(_ c: UnsafeMutablePointer<CC_MD5_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    unsafe c.pointee.num &= 63
    unsafe BrokenDigestWatch.takes(data, Int(len), context: c)
    return unsafe MD5_Update(same(c), data, Int(len))
}

@c @implementation
package func CC_MD5_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD5_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let md = unsafe md else { return 1 }
    var state = unsafe c.pointee
    state.num &= 63
    unsafe lk_wipe(c, MemoryLayout<CC_MD5_CTX>.size)
    defer { unsafe lk_wipe(&state, MemoryLayout<CC_MD5_CTX>.size) }
    let status = unsafe MD5_Final(md, same(&state))
    unsafe BrokenDigestWatch.gives(.md5, md, context: c)
    return status
}

@c @implementation
package func CC_MD5(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe BrokenDigestWatch.takes(data, Int(len), context: md)
    let result = unsafe Digest.md5.digest(data, Int(len), md)
    unsafe BrokenDigestWatch.gives(.md5, result, context: md)
    return unsafe result
}

@c @implementation
package func CC_SHA1_Init(_ c: UnsafeMutablePointer<CC_SHA1_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    return unsafe SHA1_Init(same(c))
}

@c @implementation
package func CC_SHA1_Update(_ c: UnsafeMutablePointer<CC_SHA1_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG) -> CInt
{
    guard let c = unsafe c else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    unsafe c.pointee.num &= 63
    unsafe BrokenDigestWatch.takes(data, Int(len), context: c)
    return unsafe SHA1_Update(same(c), data, Int(len))
}

@c @implementation
package func CC_SHA1_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA1_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let md = unsafe md else { return 1 }
    var state = unsafe c.pointee
    state.num &= 63
    unsafe lk_wipe(c, MemoryLayout<CC_SHA1_CTX>.size)
    defer { unsafe lk_wipe(&state, MemoryLayout<CC_SHA1_CTX>.size) }
    let status = unsafe SHA1_Final(md, same(&state))
    unsafe BrokenDigestWatch.gives(.sha1, md, context: c)
    return status
}

@c @implementation
package func CC_SHA1(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe BrokenDigestWatch.takes(data, Int(len), context: md)
    let result = unsafe Digest.sha1.digest(data, Int(len), md)
    unsafe BrokenDigestWatch.gives(.sha1, result, context: md)
    return unsafe result
}
