import CLatchkeyLibcrypto
import CLatchkeyShims
package import CommonCrypto

// SHA-224 and SHA-256. Apple's context is shorter than libcrypto's: it counts bytes, which give the length of the
// unfinished block, and does not know which of the two digests it is. Its state is therefore copied to libcrypto's
// struct and back.

extension SHA256_CTX {
    /// Continues Apple's context. The caller wipes the copy.
    fileprivate init(_ context: UnsafeMutablePointer<CC_SHA256_CTX>, digestByteCount: CInt) {
        let count = unsafe context.pointee.byteCount
        self.init()
        unsafe h = context.pointee.hash
        unsafe data = context.pointee.wbuf
        Nl = UInt32(truncatingIfNeeded: count << 3)
        Nh = UInt32(truncatingIfNeeded: count >> 29)
        num = UInt32(truncatingIfNeeded: count) % UInt32(CC_SHA256_BLOCK_BYTES)
        md_len = UInt32(digestByteCount)
    }
}

extension CC_SHA256_CTX {
    fileprivate var byteCount: UInt64 {
        get { UInt64(count.1) << 32 | UInt64(count.0) }
        set { count = (UInt32(truncatingIfNeeded: newValue), UInt32(truncatingIfNeeded: newValue >> 32)) }
    }
}

private func update(_ c: UnsafeMutablePointer<CC_SHA256_CTX>?, _ data: UnsafeRawPointer?, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    var context = unsafe SHA256_CTX(c, digestByteCount: CC_SHA256_DIGEST_LENGTH)
    unsafe SHA256_Update(&context, data, Int(len))
    unsafe c.pointee.hash = context.h
    unsafe c.pointee.wbuf = context.data
    unsafe c.pointee.byteCount &+= UInt64(len)
    unsafe lk_wipe(&context, MemoryLayout<SHA256_CTX>.size)
    return 1
}

private func finish(
    _ md: UnsafeMutablePointer<UInt8>?, _ c: UnsafeMutablePointer<CC_SHA256_CTX>?, _ digestByteCount: CInt
) -> CInt {
    guard let c = unsafe c else { return 0 }
    guard let md = unsafe md else { return 1 }
    var context = unsafe SHA256_CTX(c, digestByteCount: digestByteCount)
    // Wiped before: the digest may lie over it.
    unsafe lk_wipe(c, MemoryLayout<CC_SHA256_CTX>.size)
    unsafe SHA256_Final(md, &context)
    unsafe lk_wipe(&context, MemoryLayout<SHA256_CTX>.size)
    return 1
}

@c @implementation
package func CC_SHA224_Init(_ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    var context = SHA256_CTX()
    unsafe SHA224_Init(&context)
    unsafe c.pointee = CC_SHA256_CTX(count: (0, 0), hash: context.h, wbuf: context.data)
    return 1
}

@c @implementation
package func CC_SHA224_Update(
    _ c: UnsafeMutablePointer<CC_SHA256_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> CInt {
    unsafe update(c, data, len)
}

@c @implementation
package func CC_SHA224_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> CInt {
    unsafe finish(md, c, CC_SHA224_DIGEST_LENGTH)
}

@c @implementation
package func CC_SHA224(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe Digest.sha224.digest(data, Int(len), md)
}

@c @implementation
package func CC_SHA256_Init(_ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> CInt {
    guard let c = unsafe c else { return 0 }
    var context = SHA256_CTX()
    unsafe SHA256_Init(&context)
    unsafe c.pointee = CC_SHA256_CTX(count: (0, 0), hash: context.h, wbuf: context.data)
    return 1
}

@c @implementation
package func CC_SHA256_Update(
    _ c: UnsafeMutablePointer<CC_SHA256_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> CInt {
    unsafe update(c, data, len)
}

@c @implementation
package func CC_SHA256_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> CInt {
    unsafe finish(md, c, CC_SHA256_DIGEST_LENGTH)
}

@c @implementation
package func CC_SHA256(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    unsafe Digest.sha256.digest(data, Int(len), md)
}
