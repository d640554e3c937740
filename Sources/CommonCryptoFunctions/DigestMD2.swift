import CLatchkeyShims
package import CommonCrypto
import Glibc

// MD2 comes from libnettle: Debian's libcrypto is built without it. The library is loaded when somebody first asks for
// MD2, so that nobody else needs it. Its context is shorter than Apple's and lies at the start of it, with the same
// alignment; what Apple's fields are called has no meaning here.

/// The functions of nettle's md2.h.
@safe private struct MD2Library: Sendable {
    /// Where nettle's context counts the bytes of its unfinished block.
    private static let countOffset = 64
    private static let blockByteCount: UInt32 = 16

    let start: @convention(c) @Sendable (UnsafeMutableRawPointer) -> Void
    let update: @convention(c) @Sendable (UnsafeMutableRawPointer, Int, UnsafeRawPointer) -> Void
    let finish: @convention(c) @Sendable (UnsafeMutableRawPointer, Int, UnsafeMutableRawPointer) -> Void

    /// Nil if this machine has no libnettle with the interface of version 3.
    static let loaded = MD2Library()

    private init?() {
        guard let library = unsafe dlopen("libnettle.so.8", RTLD_NOW | RTLD_LOCAL),
            let start = unsafe dlsym(library, "nettle_md2_init"),
            let update = unsafe dlsym(library, "nettle_md2_update"),
            let finish = unsafe dlsym(library, "nettle_md2_digest")
        else { return nil }
        unsafe self.start = unsafe unsafeBitCast(start, to: type(of: self.start))
        unsafe self.update = unsafe unsafeBitCast(update, to: type(of: self.update))
        unsafe self.finish = unsafe unsafeBitCast(finish, to: type(of: self.finish))
    }

    /// A context that was never initialised is wrong and not dangerous.
    func confine(_ context: UnsafeMutableRawPointer) {
        let count = unsafe context.load(fromByteOffset: Self.countOffset, as: UInt32.self)
        unsafe context.storeBytes(of: count % Self.blockByteCount, toByteOffset: Self.countOffset, as: UInt32.self)
    }
}

@c @implementation
package func CC_MD2_Init(_ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    unsafe lk_wipe(c, MemoryLayout<CC_MD2_CTX>.size)
    unsafe library.start(c)
    return 1
}

@c @implementation
package func CC_MD2_Update(_ c: UnsafeMutablePointer<CC_MD2_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    unsafe library.confine(c)
    unsafe library.update(c, Int(len), data)
    return 1
}

@c @implementation
package func CC_MD2_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    guard let md = unsafe md else { return 1 }
    unsafe library.confine(c)
    // The digest may lie over the context, which is wiped before.
    var state = unsafe c.pointee
    unsafe lk_wipe(c, MemoryLayout<CC_MD2_CTX>.size)
    unsafe library.finish(&state, Int(CC_MD2_DIGEST_LENGTH), md)
    unsafe lk_wipe(&state, MemoryLayout<CC_MD2_CTX>.size)
    return 1
}

@c @implementation
package func CC_MD2(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! {
    guard let md = unsafe md, unsafe data != nil || len == 0 else { return nil }
    var context = CC_MD2_CTX()
    guard unsafe CC_MD2_Init(&context) == 1 else { return nil }
    unsafe CC_MD2_Update(&context, data, len)
    unsafe CC_MD2_Final(md, &context)
    return unsafe md
}
