import Foundation
import LatchkeyDevice
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Synchronization
import Testing

/// `kill -9` at random points under write load.
@Suite(.serialized) struct KillTests {
    /// More with `LATCHKEY_KILLS` (`Scripts/crash`).
    private static let kills = Campaign.count(500, inTests: 60)
    private static let seed = Campaign.seed(20_240_607)

    private enum Victim: CaseIterable {
        case daemon
        case enclave
        case both
    }

    @Test("after every kill each acknowledged write is there, the cut one is whole or absent, and nothing is damaged")
    func killsUnderLoadCampaign() throws {
        let device = try DeviceProcesses()
        try device.start()
        let clients = (0..<4).map { WritingClient(number: $0, keychain: device.client(), seed: Self.seed) }
        let reader = device.client()
        var random = SplitMix(seed: Self.seed)
        var counts: [Victim: Int] = [:]
        for kill in 1...Self.kills {
            let victim = Victim.allCases[[0, 0, 0, 1, 1, 2][Int.random(in: 0..<6, using: &random)]]
            counts[victim, default: 0] += 1
            burst(
                clients, writes: Int.random(in: 1...24, using: &random), spins: Int.random(in: 0...3000, using: &random)
            ) {
                if victim != .enclave { device.killDaemon() }
                if victim != .daemon { device.killEnclave() }
            }
            if victim != .enclave { try device.start() }
            let found = try foundWhenBack(reader)
            for client in clients { try client.settle(with: found) }
            let expected = clients.reduce(into: [String: [UInt8]]()) { $0.merge($1.expected) { $1 } }
            try #require(
                found == expected, "kill \(kill) of \(victim), seed \(Self.seed): \(difference(found, expected))")
            let status = try reader.status()
            try #require(status.quarantinedRows == 0, "kill \(kill) of \(victim), seed \(Self.seed)")
            try #require(status.damageReport == nil, "kill \(kill) of \(victim), seed \(Self.seed)")
        }
        device.stop()
        #expect(
            try ItemDatabase(path: device.directory.keychain + "/keychain.db", clock: { 0 }).integrityFindings().isEmpty
        )
        #expect(counts.count == 3, "\(counts)")
    }

    /// All clients write; after `writes` acknowledgements and a moment more, `kill` strikes.
    private func burst(_ clients: [WritingClient], writes: Int, spins: Int, kill: () -> Void) {
        let acknowledged = Atomic<Int>(0)
        let isOver = Atomic<Bool>(false)
        let finished = Atomic<Int>(0)
        withoutActuallyEscaping(kill) { kill in
            let group = DispatchGroup()
            // Waited for, not looked at again and again: the processes need the processors.
            let event = DispatchSemaphore(value: 0)
            for client in clients {
                group.enter()
                Thread.detachNewThread {
                    client.burst(
                        until: { isOver.load(ordering: .relaxed) },
                        afterEach: {
                            acknowledged.add(1, ordering: .relaxed)
                            event.signal()
                        })
                    finished.add(1, ordering: .relaxed)
                    event.signal()
                    group.leave()
                }
            }
            while acknowledged.load(ordering: .relaxed) < writes, finished.load(ordering: .relaxed) < clients.count {
                event.wait()
            }
            for _ in 0..<spins { sched_yield() }
            kill()
            isOver.store(true, ordering: .relaxed)
            group.wait()
        }
    }

    /// The daemon brings a killed enclave back by itself; until then searches are refused, not answered wrongly.
    private func foundWhenBack(_ reader: any Keychain) throws -> [String: [UInt8]] {
        let end = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try reader.everything()
            } catch {
                guard ContinuousClock.now < end else { throw error }
                usleep(1000)
            }
        }
    }

    private func difference(_ found: [String: [UInt8]], _ expected: [String: [UInt8]]) -> String {
        let missing = expected.keys.filter { found[$0] == nil }
        let surplus = found.keys.filter { expected[$0] == nil }
        let other = expected.keys.filter { found[$0] != nil && found[$0] != expected[$0] }
        return "missing \(missing), surplus \(surplus), of other content \(other)"
    }
}
