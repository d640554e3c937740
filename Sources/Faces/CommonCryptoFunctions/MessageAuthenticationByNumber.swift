import CLatchkeyShims
import CommonCrypto
package import CommonCryptoSPI
import Glibc

@c @implementation
package func CCHmacCreate(_ alg: CCDigestAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int) -> CCHmacContextRef! {
    guard let digest = Digest(number: alg), keyLength >= 0, unsafe key != nil || keyLength == 0,
        let memory = unsafe calloc(1, MemoryLayout<CCHmacContext>.size)
    else { return nil }
    let ctx = unsafe memory.bindMemory(to: CCHmacContext.self, capacity: 1)
    unsafe MessageAuthentication.tell(key: key, keyLength)
    MessageAuthentication.withState { state in
        unsafe state.start(digest, key: key, keyLength)
        unsafe state.store(in: ctx)
    }
    return unsafe ctx
}

@c @implementation
package func CCHmacClone(_ ctx: CCHmacContextRef!) -> CCHmacContextRef! {
    guard let ctx = unsafe ctx, let memory = unsafe malloc(MemoryLayout<CCHmacContext>.size) else { return nil }
    unsafe memcpy(memory, ctx, MemoryLayout<CCHmacContext>.size)
    return unsafe memory.bindMemory(to: CCHmacContext.self, capacity: 1)
}

@c @implementation
package func CCHmacDestroy(_ ctx: CCHmacContextRef!) {
    guard let ctx = unsafe ctx else { return }
    unsafe lk_wipe(ctx, MemoryLayout<CCHmacContext>.size)
    unsafe free(ctx)
}

@c @implementation
package func CCHmacOutputSizeFromRef(_ ctx: CCHmacContextRef!) -> Int {
    guard let ctx = unsafe ctx else { return 0 }
    var count = 0
    MessageAuthentication.withState { state in
        unsafe state.load(from: ctx)
        count = state.digest?.byteCount ?? 0
    }
    return count
}

@c @implementation
package func CCHmacOutputSize(_ alg: CCDigestAlgorithm) -> Int {
    CCDigestGetOutputSize(alg)
}

@c @implementation
package func CCHmacOneShot(
    _ alg: CCDigestAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ data: UnsafeRawPointer!, _ dataLength: Int,
    _ macOut: UnsafeMutableRawPointer!
) {
    unsafe MessageAuthentication.code(Digest(number: alg), key, keyLength, data, dataLength, into: macOut)
}
