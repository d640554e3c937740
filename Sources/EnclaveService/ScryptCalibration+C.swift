import Glibc
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory

/// Finds the scrypt cost with which one try takes at least 80 ms of this machine's processor.
enum ScryptCalibration {
    /// RFC 7914's interactive cost; less would be cheap to guess on other machines.
    private static let lowest: UInt32 = 14
    private static let wantedSeconds = 0.080

    /// log2 of N. Takes a few tenths of a second if it has to be measured.
    static func log2Cost(for cost: PasscodeCost) -> UInt32 {
        switch cost {
        case .fixed(let log2Cost):
            let range = PasscodeParameters.log2CostRange
            return UInt32(min(max(log2Cost, Int(range.lowerBound)), Int(range.upperBound)))
        case .calibrated:
            let highest = PasscodeParameters.log2CostRange.upperBound
            return (lowest...highest).first { seconds(log2Cost: $0) >= wantedSeconds } ?? highest
        }
    }

    /// Processor time of this thread, so that a busy machine does not get a cheaper passcode.
    private static func seconds(log2Cost: UInt32) -> Double {
        let start = threadSeconds()
        _ = try? PasswordKey.scrypt(
            SecretBox(copying: [0x30]), salt: [0], cost: 1 << UInt64(log2Cost), blockSize: 8, lanes: 1, count: 32)
        return threadSeconds() - start
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
