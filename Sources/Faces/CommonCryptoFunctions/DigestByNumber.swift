import CLatchkeyShims
import CommonCrypto
package import CommonCryptoSPI
import Glibc
import LatchkeyCryptoMisuse

// Digests chosen by number. A context is a mark, the digest, and the digest's running state; it has no alignment of its
// own, so the functions work on a copy, which is wiped. Mark and digest stay behind at the end, so that a reset
// restarts the same digest.

private let running: UInt32 = 0x4447_5354
private let ended: UInt32 = 0x4447_454E
private let byteCount = 8 + Digest.stateByteCount

/// Calls `body` with the digest and state of a running context, and writes the state back. The last step wipes the
/// context first: the digest may lie over it.
///
/// - Parameter isReset: true if an ended context is accepted, too, and runs again.
private func step(
    _ ctx: CCDigestRef, isLast: Bool = false, isReset: Bool = false, _ body: (Digest, UnsafeMutableRawPointer) -> Void
) -> CInt {
    unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { scratch in
        let start = unsafe scratch.baseAddress.unsafelyUnwrapped
        unsafe start.copyMemory(from: ctx, byteCount: byteCount)
        defer { unsafe lk_wipe(start, byteCount) }
        let mark = unsafe start.load(as: UInt32.self)
        guard mark == running || isReset && mark == ended,
            let digest = unsafe Digest(rawValue: start.load(fromByteOffset: 4, as: UInt32.self))
        else { return .unimplemented }
        if isLast {
            unsafe lk_wipe(ctx, byteCount)
            unsafe UnsafeMutableRawPointer(ctx).storeBytes(of: ended, as: UInt32.self)
            unsafe UnsafeMutableRawPointer(ctx).storeBytes(of: digest.rawValue, toByteOffset: 4, as: UInt32.self)
        }
        unsafe start.storeBytes(of: running, as: UInt32.self)
        unsafe body(digest, start + 8)
        if !isLast { unsafe UnsafeMutableRawPointer(ctx).copyMemory(from: start, byteCount: byteCount) }
        return .success
    }
}

@c @implementation
package func CCDigest(
    _ algorithm: CCDigestAlgorithm, _ data: UnsafePointer<UInt8>!, _ length: Int, _ output: UnsafeMutablePointer<UInt8>!
) -> CInt {
    guard let digest = Digest(number: algorithm) else { return .unimplemented }
    guard length >= 0 else { return .parameter }
    let broken = BrokenDigest(digest)
    if broken != nil { unsafe BrokenDigestWatch.takes(data, length, context: output) }
    guard unsafe digest.digest(data, length, output) != nil else { return .parameter }
    if let broken { unsafe BrokenDigestWatch.gives(broken, output, context: output) }
    return .success
}

@c @implementation
package func CCDigestInit(_ algorithm: CCDigestAlgorithm, _ ctx: CCDigestRef!) -> CInt {
    guard let ctx = unsafe ctx, algorithm != kCCDigestNone, algorithm < kCCDigestMax else {
        return .parameter
    }
    guard let digest = Digest(number: algorithm) else { return .unimplemented }
    unsafe lk_wipe(ctx, MemoryLayout<CCDigestCtx>.size)
    let bytes = UnsafeMutableRawPointer(ctx)
    unsafe bytes.storeBytes(of: running, as: UInt32.self)
    unsafe bytes.storeBytes(of: digest.rawValue, toByteOffset: 4, as: UInt32.self)
    return unsafe step(ctx) { unsafe $0.start($1) }
}

@c @implementation
package func CCDigestUpdate(_ ctx: CCDigestRef!, _ data: UnsafeRawPointer!, _ length: Int) -> CInt {
    guard let ctx = unsafe ctx else { return .parameter }
    guard length != 0 else { return .success }
    guard let data = unsafe data, length > 0 else { return .parameter }
    return unsafe step(ctx) { digest, state in
        if BrokenDigest(digest) != nil { unsafe BrokenDigestWatch.takes(data, length, context: ctx) }
        unsafe digest.update(state, data, length)
    }
}

@c @implementation
package func CCDigestFinal(_ ctx: CCDigestRef!, _ output: UnsafeMutablePointer<UInt8>!) -> CInt {
    guard let ctx = unsafe ctx, let output = unsafe output else { return .parameter }
    return unsafe step(ctx, isLast: true) { digest, state in
        unsafe digest.finish(state, into: output)
        if let broken = BrokenDigest(digest) { unsafe BrokenDigestWatch.gives(broken, output, context: ctx) }
    }
}

@c @implementation
package func CCDigestCreate(_ alg: CCDigestAlgorithm) -> CCDigestRef! {
    guard let memory = unsafe calloc(1, MemoryLayout<CCDigestCtx>.size) else { return nil }
    let ctx = unsafe memory.bindMemory(to: CCDigestCtx.self, capacity: 1)
    guard unsafe CCDigestInit(alg, ctx) == .success else {
        unsafe free(memory)
        return nil
    }
    return unsafe ctx
}

@c @implementation
package func CCDigestDestroy(_ ctx: CCDigestRef!) {
    guard let ctx = unsafe ctx else { return }
    unsafe lk_wipe(ctx, MemoryLayout<CCDigestCtx>.size)
    unsafe free(ctx)
}

@c @implementation
package func CCDigestReset(_ ctx: CCDigestRef!) {
    guard let ctx = unsafe ctx else { return }
    _ = unsafe step(ctx, isReset: true) { unsafe $0.start($1) }
}

@c @implementation
package func CCDigestGetBlockSize(_ algorithm: CCDigestAlgorithm) -> Int {
    Digest(number: algorithm)?.blockByteCount ?? kCCUnimplemented
}

@c @implementation
package func CCDigestGetOutputSize(_ algorithm: CCDigestAlgorithm) -> Int {
    Digest(number: algorithm)?.byteCount ?? kCCUnimplemented
}

@c @implementation
package func CCDigestGetBlockSizeFromRef(_ ctx: CCDigestRef!) -> Int {
    unsafe digest(of: ctx)?.blockByteCount ?? kCCUnimplemented
}

@c @implementation
package func CCDigestGetOutputSizeFromRef(_ ctx: CCDigestRef!) -> Int {
    unsafe digest(of: ctx)?.byteCount ?? kCCUnimplemented
}

@c @implementation
package func CCDigestBlockSize(_ ctx: CCDigestRef!) -> Int {
    unsafe CCDigestGetBlockSizeFromRef(ctx)
}

@c @implementation
package func CCDigestOutputSize(_ ctx: CCDigestRef!) -> Int {
    unsafe CCDigestGetOutputSizeFromRef(ctx)
}

private func digest(of ctx: CCDigestRef?) -> Digest? {
    guard let ctx = unsafe ctx else { return nil }
    let bytes = UnsafeRawPointer(ctx)
    let mark = unsafe bytes.loadUnaligned(as: UInt32.self)
    guard mark == running || mark == ended else { return nil }
    return unsafe Digest(rawValue: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
}

extension Digest {
    /// Nil for an unknown number, and for that of a digest that is not among these.
    init?(number: CCDigestAlgorithm) {
        switch Int(number) {
        case kCCDigestMD4: self = .md4
        case kCCDigestMD5: self = .md5
        case kCCDigestRMD160: self = .ripemd160
        case kCCDigestSHA1: self = .sha1
        case kCCDigestSHA224: self = .sha224
        case kCCDigestSHA256: self = .sha256
        case kCCDigestSHA384: self = .sha384
        case kCCDigestSHA512: self = .sha512
        default: return nil
        }
    }
}
