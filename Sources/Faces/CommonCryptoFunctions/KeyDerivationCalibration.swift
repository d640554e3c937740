package import CommonCrypto
import Glibc
import LatchkeyCryptoMisuse

@c @implementation
package func CCCalibratePBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ passwordLen: Int, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm,
    _ derivedKeyLen: Int, _ msec: UInt32
) -> CUnsignedInt {
    guard algorithm == kCCPBKDF2, let function = DerivationUse.PseudoRandomFunction(prf), derivedKeyLen > 0,
        passwordLen >= 0, (0...Calibration.longestSalt).contains(saltLen)
    else { return .max }
    let digest = function.digest
    let (rounds, duration) = Calibration.measure(digest, passwordByteCount: passwordLen, saltByteCount: saltLen)
    let blocks = (derivedKeyLen - 1) / digest.byteCount + 1
    return Calibration.rounds(for: msec, blocks: blocks, measured: rounds, taking: duration)
}

/// The number of rounds of PBKDF2 that take a given time.
package enum Calibration {
    static let longestSalt = 132

    /// The minimum, whatever the machine and the requested time.
    private static let fewestRounds = 10_000.0

    /// The number of rounds for a key of so many blocks, from the measured time of one block.
    package static func rounds(
        for milliseconds: UInt32, blocks: Int, measured: UInt32, taking duration: Duration
    ) -> UInt32 {
        let wish = Duration.milliseconds(Int64(milliseconds))
        guard duration > .zero else { return UInt32(fewestRounds) }
        let rounds = wish / duration * Double(measured) / Double(blocks)
        return UInt32(min(max(fewestRounds, rounds), Double(Int32.max)))
    }

    /// Derives one block with more and more rounds, until they can be measured.
    ///
    /// Measures the processor time of this thread: wall time would give too few rounds on a busy machine.
    static func measure(
        _ digest: Digest, passwordByteCount: Int, saltByteCount: Int
    ) -> (rounds: UInt32, duration: Duration) {
        // A longer password is digested once, before the rounds.
        let password = [UInt8](repeating: 0x61, count: min(max(1, passwordByteCount), Digest.longestBlock))
        let salt = [UInt8](repeating: 0, count: saltByteCount)
        var block = [UInt8](repeating: 0, count: digest.byteCount)
        var rounds: UInt32 = 2_000
        while true {
            let start = threadTime()
            unsafe password.withUnsafeBytes { password in
                unsafe salt.withUnsafeBytes { salt in
                    unsafe block.withUnsafeMutableBytes {
                        _ = unsafe KeyDerivation.passwordKey(of: password, salt: salt, digest, rounds: rounds, into: $0)
                    }
                }
            }
            let duration = threadTime() - start
            if duration >= .milliseconds(20) || rounds >= 1 << 20 { return (rounds, duration) }
            rounds *= 2
        }
    }

    private static func threadTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
