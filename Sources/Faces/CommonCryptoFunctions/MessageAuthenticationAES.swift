import CLatchkeyLibcrypto
package import CommonCryptoSPI
import LatchkeyCryptoMisuse

// AES-CMAC: the caller's object is libcrypto's own context.

@c @implementation
package func CCAESCmac(
    _ key: UnsafeRawPointer!, _ data: UnsafePointer<UInt8>!, _ dataLength: Int, _ macOut: UnsafeMutableRawPointer!
) {
    guard dataLength >= 0, unsafe data != nil || dataLength == 0, let ctx = unsafe CCAESCmacCreate(key, 16) else {
        return
    }
    unsafe CCAESCmacUpdate(ctx, data, dataLength)
    unsafe CCAESCmacFinal(ctx, macOut)
    unsafe CCAESCmacDestroy(ctx)
}

@c @implementation
package func CCAESCmacCreate(_ key: UnsafeRawPointer!, _ keyLength: Int) -> CCCmacContextPtr! {
    let name: StaticString
    switch keyLength {
    case 16: name = "AES-128-CBC"
    case 24: name = "AES-192-CBC"
    case 32: name = "AES-256-CBC"
    default: return nil
    }
    guard let key = unsafe key, let context = unsafe EVP_MAC_CTX_new(implementation) else { return nil }
    let cipher: StaticString = "cipher"
    let parameters = unsafe [
        OSSL_PARAM_construct_utf8_string(cipher.characters, UnsafeMutablePointer(mutating: name.characters), 0),
        OSSL_PARAM_construct_end(),
    ]
    guard unsafe EVP_MAC_init(context, key.assumingMemoryBound(to: UInt8.self), keyLength, parameters) == 1 else {
        unsafe EVP_MAC_CTX_free(context)
        return nil
    }
    unsafe MessageAuthentication.tell(key: key, keyLength)
    return unsafe context
}

@c @implementation
package func CCAESCmacUpdate(_ ctx: CCCmacContextPtr!, _ data: UnsafeRawPointer!, _ dataLength: Int) {
    guard let ctx = unsafe ctx, let data = unsafe data, dataLength > 0 else { return }
    guard unsafe EVP_MAC_update(ctx, data.assumingMemoryBound(to: UInt8.self), dataLength) == 1 else { return }
    if CryptoWatch.isOn {
        unsafe CryptoWatch.authenticates(
            UnsafeRawBufferPointer(start: data, count: dataLength), context: UnsafeRawPointer(ctx))
    }
}

@c @implementation
package func CCAESCmacFinal(_ ctx: CCCmacContextPtr!, _ macOut: UnsafeMutableRawPointer!) {
    guard let ctx = unsafe ctx, let macOut = unsafe macOut else { return }
    var written = 0
    let room = Int(CC_CMACAES_OUTPUT_LENGTH)
    guard unsafe EVP_MAC_final(ctx, macOut.assumingMemoryBound(to: UInt8.self), &written, room) == 1 else { return }
    if CryptoWatch.isOn {
        unsafe CryptoWatch.authenticated(
            UnsafeRawBufferPointer(start: macOut, count: written), context: UnsafeRawPointer(ctx))
    }
}

@c @implementation
package func CCAESCmacDestroy(_ ctx: CCCmacContextPtr!) {
    unsafe EVP_MAC_CTX_free(ctx)
}

@c @implementation
package func CCAESCmacOutputSizeFromContext(_ ctx: CCCmacContextPtr!) -> Int {
    unsafe ctx == nil ? 0 : Int(CC_CMACAES_OUTPUT_LENGTH)
}

// Set once and never changed, and lives as long as the process: safe in every thread.
nonisolated(unsafe) private let implementation = Libcrypto.isReady ? unsafe EVP_MAC_fetch(nil, "CMAC", nil) : nil
