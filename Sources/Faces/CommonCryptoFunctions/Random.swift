import CLatchkeyLibcrypto
package import CommonCrypto
package import CommonCryptoSPI

@c @implementation
package func CCRandomGenerateBytes(_ bytes: UnsafeMutableRawPointer!, _ count: Int) -> CCRNGStatus {
    guard count != 0 else { return .success }
    // An impossible length: the caller's arithmetic went below zero.
    guard let bytes = unsafe bytes, count > 0 else { return .parameter }
    guard Libcrypto.isReady else { return CCRNGStatus(kCCRNGFailure) }
    // The generator for secrets. It handles forks, and takes as many steps as the count needs.
    let filled = unsafe RAND_priv_bytes_ex(nil, bytes.assumingMemoryBound(to: UInt8.self), count, 0)
    return filled == 1 ? .success : CCRNGStatus(kCCRNGFailure)
}

@c @implementation
package func CCRandomCopyBytes(_ rnd: CCRandomRef!, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> CInt {
    unsafe CCRandomGenerateBytes(bytes, count)
}

@c @implementation
package func CCRandomUniform(_ bound: UInt64, _ rand: UnsafeMutablePointer<UInt64>!) -> CCRNGStatus {
    guard bound > 0, let rand = unsafe rand else { return .parameter }
    // The numbers below this would make some remainders more likely.
    let uneven = (0 &- bound) % bound
    var number: UInt64 = 0
    repeat {
        let status = unsafe CCRandomGenerateBytes(&number, MemoryLayout<UInt64>.size)
        guard status == .success else { return status }
    } while number < uneven
    unsafe rand.pointee = number % bound
    return .success
}
