import CLatchkeyLibcrypto
import CLatchkeyShims
package import CommonCrypto

// SHA-384 and SHA-512, in the same way as DigestSHA256.swift.

extension SHA512_CTX {
    /// Continues Apple's context. The caller wipes the copy.
    fileprivate init(_ context: UnsafeMutablePointer<CC_SHA512_CTX>, digestByteCount: CInt) {
        let count = unsafe context.pointee.count
        self.init()
        unsafe h = context.pointee.hash
        unsafe u.d = context.pointee.wbuf
        Nl = count.0 << 3
        Nh = count.1 << 3 | count.0 >> 61
        num = UInt32(truncatingIfNeeded: count.0) % UInt32(CC_SHA512_BLOCK_BYTES)
        md_len = UInt32(digestByteCount)
    }
}

private func update(_ c: UnsafeMutablePointer<CC_SHA512_CTX>?, _ data: UnsafeRawPointer?, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    var context = unsafe SHA512_CTX(c, digestByteCount: CC_SHA512_DIGEST_LENGTH)
    unsafe SHA512_Update(&context, data, Int(len))
    unsafe c.pointee.hash = context.h
    unsafe c.pointee.wbuf = context.u.d
    let (low, carries) = unsafe c.pointee.count.0.addingReportingOverflow(UInt64(len))
    unsafe c.pointee.count = unsafe (low, c.pointee.count.1 &+ (carries ? 1 : 0))
    unsafe lk_wipe(&context, MemoryLayout<SHA512_CTX>.size)
    return 1
}

private func finish(
    _ md: UnsafeMutablePointer<UInt8>?, _ c: UnsafeMutablePointer<CC_SHA512_CTX>?, _ digestByteCount: CInt
) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let md = unsafe md else { return 1 }
    var context = unsafe SHA512_CTX(c, digestByteCount: digestByteCount)
    // Wiped before: the digest may lie over it.
    unsafe lk_wipe(c, MemoryLayout<CC_SHA512_CTX>.size)
    unsafe SHA512_Final(md, &context)
    unsafe lk_wipe(&context, MemoryLayout<SHA512_CTX>.size)
    return 1
}

@c @implementation
package func CC_SHA384_Init(_ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    var context = SHA512_CTX()
    unsafe SHA384_Init(&context)
    unsafe c.pointee = CC_SHA512_CTX(count: (0, 0), hash: context.h, wbuf: context.u.d)
    return 1
}

@c @implementation
package func CC_SHA384_Update(
    _ c: UnsafeMutablePointer<CC_SHA512_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> CInt {
    unsafe update(c, data, len)
}

@c @implementation
package func CC_SHA384_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> CInt {
    unsafe finish(md, c, CC_SHA384_DIGEST_LENGTH)
}

@c @implementation
package func CC_SHA384(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe Digest.sha384.digest(data, Int(len), md)
}

@c @implementation
package func CC_SHA512_Init(_ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    var context = SHA512_CTX()
    unsafe SHA512_Init(&context)
    unsafe c.pointee = CC_SHA512_CTX(count: (0, 0), hash: context.h, wbuf: context.u.d)
    return 1
}

@c @implementation
package func CC_SHA512_Update(
    _ c: UnsafeMutablePointer<CC_SHA512_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> CInt {
    unsafe update(c, data, len)
}

@c @implementation
package func CC_SHA512_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> CInt {
    unsafe finish(md, c, CC_SHA512_DIGEST_LENGTH)
}

@c @implementation
package func CC_SHA512(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe Digest.sha512.digest(data, Int(len), md)
}
