import Glibc
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// Measures the scrypt cost with which one try takes at least 80 ms of this machine's processor. The result is cached,
/// so that a client that asks in a loop cannot occupy the machine.
final class ScryptCalibration: Sendable {
    /// The cost of one try of a passcode.
    struct Cost: Sendable {
        /// log2 of N.
        let log2Cost: UInt32
        let secondsPerTry: Double

        var tryMicroseconds: UInt32 { UInt32(min(secondsPerTry * 1_000_000, Double(UInt32.max))) }
    }

    /// RFC 7914's cost for interactive use. Less would be cheap to guess on other machines.
    private static let lowest: UInt32 = 14
    private static let wantedSeconds = 0.080

    private let known = ForkMutex<Cost?>(nil)

    /// Takes about a tenth of a second for the first call.
    func cost(for cost: PasscodeCost) -> Cost {
        known.withLock { known in
            if let known { return known }
            let found = Self.measured(cost)
            known = found
            return found
        }
    }

    private static func measured(_ cost: PasscodeCost) -> Cost {
        switch cost {
        case .fixed(let log2Cost):
            let range = PasscodeParameters.log2CostRange
            let log2Cost = UInt32(min(max(log2Cost, Int(range.lowerBound)), Int(range.upperBound)))
            return Cost(log2Cost: log2Cost, secondsPerTry: seconds(log2Cost: log2Cost))
        case .calibrated:
            // The work is linear in N, so one measurement says what the others would take at least: larger ones fit the caches less. The first run also
            // pays for what is cold, which would make the passcode cheaper.
            let base = min(seconds(log2Cost: lowest), seconds(log2Cost: lowest))
            var cost = Cost(log2Cost: lowest, secondsPerTry: base)
            while cost.secondsPerTry < wantedSeconds, cost.log2Cost < PasscodeParameters.log2CostRange.upperBound {
                cost = Cost(log2Cost: cost.log2Cost + 1, secondsPerTry: cost.secondsPerTry * 2)
            }
            return cost
        }
    }

    /// Uses the processor time of this thread, so that a busy machine does not make the passcode cheaper.
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
