import LatchkeyCryptoSuite
import Synchronization

/// Bytes that only look random: the same for the same seed, so that a failure can be seen again (SplitMix64).
final class SeededEntropy: Entropy {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            var word: UInt64 = 0
            for index in bytes.indices {
                if index % 8 == 0 { word = Self.next(&state) }
                unsafe bytes[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
        }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
