import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

/// `kill -9` of the enclave while the passcode changes.
@Suite(.serialized) struct PasscodeKillTests {
    private static let seed = Campaign.seed(77)

    @Test("after every kill the old passcode works or the new one, and every item opens")
    func changesUnderKillCampaign() throws {
        let device = try DeviceProcesses()
        try device.start()
        let client = device.client()
        var current = "passcode 0"
        guard (try? client.ask(SetPasscode(secret(current)))) != nil else { throw Failed("no passcode") }
        let items = ["ak", "ck", "dk", "akpu"]
        for name in items { try #require(client.add(name, Array(name.utf8), accessible: name) == .success) }
        var random = SplitMix(seed: Self.seed)
        var outcomes = [false: 0, true: 0]
        // The longest wait of a kill, in turns of the scheduler: it follows the outcomes, so that on a fast machine and
        // on a busy one some kills come before the change is on disk and some after.
        var longestWait = 6000.0
        for kill in 1...Campaign.count(40, inTests: 20) {
            let next = "passcode \(kill)"
            let (before, after) = (current, next)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                _ = try? client.ask(ChangePasscode(from: secret(before), to: secret(after)))
                done.signal()
            }
            for _ in 0..<Int.random(in: 0...Int(longestWait), using: &random) { sched_yield() }
            device.killEnclave()
            done.wait()
            device.killDaemon()
            try device.start()
            let isNew = try unlocks(client, after)
            if !isNew {
                try #require(try unlocks(client, before), "kill \(kill), seed \(Self.seed): neither passcode works")
            }
            outcomes[isNew, default: 0] += 1
            longestWait = isNew ? max(longestWait * 0.7, 1) : min(longestWait * 1.5, 2_000_000)
            current = isNew ? after : before
            for name in items {
                try #require(
                    client.find(name) == .success(Array(name.utf8)), "kill \(kill), seed \(Self.seed), item \(name)")
            }
        }
        #expect(try client.status().enclave.failedAttempts == 0)
        // A kill that is always too early or always too late would show nothing.
        #expect(outcomes[false, default: 0] > 0 && outcomes[true, default: 0] > 0, "\(outcomes)")
    }

    private func unlocks(_ client: any Keychain, _ passcode: String) throws -> Bool {
        switch client.refusal(of: UnlockDevice(secret(passcode))) {
        case nil: return true
        case .refused(.wrongPasscode): return false
        case let other?: throw Failed("unlocking: \(other)")
        }
    }
}
