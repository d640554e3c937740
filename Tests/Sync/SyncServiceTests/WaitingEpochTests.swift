import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainService
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore
@testable import LatchkeySyncService

@Suite struct WaitingEpochTests {
    @Test("an engine learns of it when calls that waited for an epoch get their versions", arguments: [true, false])
    func told(byCommit: Bool) throws {
        let device = try CircleDevice("laptop", MemoryHost())
        try device.found()
        let engine = try #require(try SyncEngine(device.parts { false }))
        let items = device.service.shared
        try items.write { writer in
            _ = try writer.raiseSyncClock(to: SyncClockRow(epoch: 1, time: .max, count: .max))
        }
        #expect(device.add("bob", "secret") == .success)
        let next = DeviceClock(epoch: EpochNumber(2))
        var hasVersions = false
        if byCommit {
            try items.commit([], knowing: .max) { [device = engine.device] rows, writer in
                hasVersions = try SyncTables.commit(
                    ReplicaTransaction(changes: [.clock(next)]), of: device, TransactionContents(), rows, writer)
            }
        } else {
            let made = engine.environment.makeVersions(1, in: EpochNumber(2), after: next, wallClock: 1)
            #expect(made?.count == 1)
            hasVersions = engine.environment.takeHasVersions()
            #expect(!engine.environment.takeHasVersions(), "told once")
        }
        #expect(hasVersions)
    }
}
