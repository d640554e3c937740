import CommonCryptoSPI

/// AES-CMAC as programs call it.
enum CMACCall {
    /// In two pieces; nil if there is no such key.
    static func code(key: [UInt8], _ message: [UInt8]) -> [UInt8]? {
        let (key, input, output) = (GuardedBytes(key), GuardedBytes(message), GuardedBytes(count: 16))
        guard let context = CCAESCmacCreate(key.start, key.bytes.count) else { return nil }
        defer { CCAESCmacDestroy(context) }
        guard CCAESCmacOutputSizeFromContext(context) == 16 else { return nil }
        let half = message.count / 2
        CCAESCmacUpdate(context, input.start, half)
        CCAESCmacUpdate(context, input.start + half, message.count - half)
        CCAESCmacFinal(context, output.start)
        return output.contents(16)
    }

    /// - Parameter key: of 16 bytes.
    static func oneShot(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let (key, input, output) = (GuardedBytes(key), GuardedBytes(message), GuardedBytes(count: 16))
        CCAESCmac(key.start, input.start.assumingMemoryBound(to: UInt8.self), message.count, output.start)
        return output.contents(16)
    }
}
