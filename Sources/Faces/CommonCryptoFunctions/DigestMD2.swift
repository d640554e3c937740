import CLatchkeyShims
package import CommonCrypto
import Glibc
import LatchkeyCryptoMisuse

// MD2 comes from libnettle: Debian's libcrypto is built without it. The library is loaded at the first use of MD2, so
// that no other program needs it. The state is kept in Apple's fields and copied to nettle's context and back: programs
// read these fields, and may keep or copy them one by one.

/// The functions of nettle's md2.h.
@safe private struct MD2Library: Sendable {
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
}

/// Nettle's context: checksum, state with its two halves of scratch, length of the unfinished block, and the block.
@safe private struct MD2State {
    private static let blockByteCount = 16
    private static let stateOffset = 16
    private static let countOffset = 64
    private static let blockOffset = 68
    private static let byteCount = 88

    let bytes: UnsafeMutableRawPointer

    /// Calls `body` with a context that continues Apple's, and wipes it afterwards.
    static func with(_ context: CC_MD2_CTX, _ body: (MD2State) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { memory in
            // The requested size is not 0, so there is a first byte.
            let state = unsafe MD2State(bytes: memory.baseAddress.unsafelyUnwrapped)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
            state.load(context)
            body(state)
            unsafe lk_wipe(state.bytes, byteCount)
        }
    }

    private func load(_ context: CC_MD2_CTX) {
        unsafe withUnsafeBytes(of: context.cksm) { unsafe Self.copy($0, to: bytes) }
        unsafe withUnsafeBytes(of: context.state) { unsafe Self.copy($0, to: bytes + Self.stateOffset) }
        unsafe withUnsafeBytes(of: context.data) { unsafe Self.copy($0, to: bytes + Self.blockOffset) }
        // An uninitialised context gives a wrong digest and is not dangerous.
        let count = UInt32(bitPattern: context.num) % UInt32(Self.blockByteCount)
        unsafe bytes.storeBytes(of: count, toByteOffset: Self.countOffset, as: UInt32.self)
    }

    func store(in context: UnsafeMutablePointer<CC_MD2_CTX>) {
        unsafe withUnsafeMutableBytes(of: &context.pointee.cksm) { unsafe Self.copy(bytes, to: $0) }
        unsafe withUnsafeMutableBytes(of: &context.pointee.state) {
            unsafe Self.copy(bytes + Self.stateOffset, to: $0)
        }
        unsafe withUnsafeMutableBytes(of: &context.pointee.data) {
            unsafe Self.copy(bytes + Self.blockOffset, to: $0)
        }
        unsafe context.pointee.num = unsafe Int32(bytes.load(fromByteOffset: Self.countOffset, as: UInt32.self))
    }

    /// Copies a field. Apple's fields have room for more than a block; the rest does not change.
    private static func copy(_ field: UnsafeRawBufferPointer, to place: UnsafeMutableRawPointer) {
        guard let start = field.baseAddress else { return }
        unsafe place.copyMemory(from: start, byteCount: blockByteCount)
    }

    private static func copy(_ place: UnsafeRawPointer, to field: UnsafeMutableRawBufferPointer) {
        unsafe field.baseAddress?.copyMemory(from: place, byteCount: blockByteCount)
    }
}

@c @implementation
package func CC_MD2_Init(_ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    unsafe lk_wipe(c, MemoryLayout<CC_MD2_CTX>.size)
    MD2State.with(CC_MD2_CTX()) { state in
        unsafe library.start(state.bytes)
        unsafe state.store(in: c)
    }
    return 1
}

@c @implementation
package func CC_MD2_Update(_ c: UnsafeMutablePointer<CC_MD2_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    guard let data = unsafe data, len > 0 else { return 1 }
    unsafe BrokenDigestWatch.takes(data, Int(len), context: c)
    unsafe MD2State.with(c.pointee) { state in
        unsafe library.update(state.bytes, Int(len), data)
        unsafe state.store(in: c)
    }
    return 1
}

@c @implementation
package func CC_MD2_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> CInt {
    guard let c = unsafe c, let library = MD2Library.loaded else { return 0 }
    guard let md = unsafe md else { return 1 }
    unsafe MD2State.with(c.pointee) { state in
        // The digest may lie over the context, which is wiped before.
        unsafe lk_wipe(c, MemoryLayout<CC_MD2_CTX>.size)
        unsafe library.finish(state.bytes, Int(CC_MD2_DIGEST_LENGTH), md)
    }
    unsafe BrokenDigestWatch.gives(.md2, md, context: c)
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
