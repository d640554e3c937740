import LatchkeyFileFormat
import Testing

/// The model of a disk that the other tests rely on.
@Suite struct FaultyBackingTests {
    @Test(
        "a write that was cut off never reaches the disk of a machine that goes on", arguments: 0..<8 as Range<UInt64>)
    func restartedProcess(seed: UInt64) throws {
        let backing = FaultyBacking(seed: seed)
        try [UInt8](repeating: 1, count: 1024).withUnsafeBytes { try backing.write(at: 0, from: $0) }
        backing.faults[backing.operations] = .powerCut
        [UInt8](repeating: 2, count: 1024).withUnsafeBytes { try? backing.write(at: 0, from: $0) }
        backing.restartProcess()
        try backing.synchronize(.full)
        #expect(backing.afterPowerLoss(seed: seed).cached == backing.cached)
    }
}
