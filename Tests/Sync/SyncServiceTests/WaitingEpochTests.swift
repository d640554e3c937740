import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
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
            guard case .made(let clocks) = made, clocks.count == 1 else {
                Issue.record("\(made)")
                return
            }
            hasVersions = engine.environment.takeHasVersions()
            #expect(!engine.environment.takeHasVersions(), "told once")
        }
        #expect(hasVersions)
    }

    /// An engine that knows the second epoch of its circle, and whose replica has not heard of it.
    private func behind() throws -> (device: CircleDevice, engine: SyncEngine) {
        let device = try CircleDevice("laptop", MemoryHost())
        try device.found()
        let engine = try #require(try SyncEngine(device.parts { false }))
        engine.exchange()
        try engine.writeEpoch()
        engine.takeKeys()
        #expect(engine.membership.newestEpoch?.rawValue == 2)
        return (device, engine)
    }

    @Test("no epoch is written for a replica that has not heard of the newest one: it hears of it") func unheard()
        throws
    {
        let (device, engine) = try behind()
        #expect(device.add("bob", "secret") == .success)
        // As if it had been there before the circle: it gets its version with its segment, from the stored clock.
        try device.service.shared.write { try $0.dropSyncVersions() }
        engine.exchange()
        #expect(engine.membership.newestEpoch?.rawValue == 2)
        engine.exchange()
        #expect(engine.isSettled && engine.state.items.map(\.1.version.epoch) == [EpochNumber(2)])
    }

    @Test("an epoch that was wanted while the device was locked is not written if another one came meanwhile")
    func cameMeanwhile() throws {
        let (device, engine) = try behind()
        defer { withExtendedLifetime(device) {} }
        engine.owedEpoch = OwedEpoch(former: engine.replica.writingEpoch)
        engine.writeOwedEpoch()
        #expect(engine.membership.newestEpoch?.rawValue == 2 && engine.owedEpoch == nil)
        engine.exchange()
        engine.owedEpoch = OwedEpoch(former: engine.replica.writingEpoch)
        engine.writeOwedEpoch()
        #expect(engine.membership.newestEpoch?.rawValue == 3, "this one is the newest, and another is wanted")
    }

    @Test("a locked device forgets an epoch that it owes when it hears of another, and writes none after the unlock")
    func forgottenWhileLocked() throws {
        let (device, engine) = try behind()
        engine.owedEpoch = OwedEpoch(former: engine.replica.writingEpoch)
        try device.ask(LockDevice(immediately: true))
        engine.circleChanged()
        #expect(engine.owedEpoch == nil)
    }

    @Test("a locked device forgets an epoch that it owes when statements bring another one") func readWhileLocked()
        throws
    {
        let host = MemoryHost()
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try first.admit(second)
        try second.exchange()
        let engine = try #require(try SyncEngine(second.parts { false }))
        engine.exchange()
        try second.ask(LockDevice(immediately: true))
        engine.lockStateChanged()
        engine.owedEpoch = OwedEpoch(former: engine.membership.view.writingEpoch)
        engine.writeOwedEpoch()
        #expect(engine.owedEpoch != nil, "it cannot be written now")
        try #require(try SyncEngine(first.parts { false })).changeKeys()
        #expect(try engine.exchangeStatements())
        #expect(engine.owedEpoch == nil)
        #expect(engine.membership.newestEpoch?.rawValue == 2)
    }
}
