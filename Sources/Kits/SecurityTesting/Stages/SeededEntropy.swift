import LatchkeyCryptoSuite
import Synchronization

/// Bytes that only look random: the same for the same seed, so that a failure can be seen again.
final class SeededEntropy: Entropy {
    private let state: Mutex<SeededNumbers>

    init(seed: UInt64) {
        state = Mutex(SeededNumbers(seed: seed))
    }

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            var word: UInt64 = 0
            for index in bytes.indices {
                if index % 8 == 0 { word = state.next() }
                unsafe bytes[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
        }
    }
}
