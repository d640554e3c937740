import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@Suite struct FingerUnlockTests {
    @Test("a finger brings back exactly the keys that the lock took, and changes the epoch") func unlock() throws {
        let device = try TestDevice.withFinger()
        let keys = device.keysOfAllClasses()
        try device.expectDone(LockDevice(immediately: true))
        let epoch = device.enclave.keyEpoch
        for (keyClass, key) in keys {
            #expect(device.refusalToOpen(key) == (keyClass.availability == .onlyWhileUnlocked ? .locked : nil))
        }
        device.sensor.give(.matched(.rightIndex))
        #expect(try device.unlockWithFinger() == .matched(.rightIndex))
        #expect(device.enclave.keyEpoch != epoch)
        #expect(try device.status.lockState == .unlocked)
        #expect(keys.count == KeyClass.allCases.count)
        for key in keys.values { #expect(device.refusalToOpen(key) == nil) }
        // And again: each lock seals anew.
        try device.expectDone(LockDevice(immediately: true))
        device.sensor.give(.notMatched, .matched(nil))
        #expect(try device.unlockWithFinger() == .notMatched(missesLeft: 4))
        #expect(try device.status.lockState == .locked)
        #expect(try device.unlockWithFinger() == .matched(nil))
        #expect(try device.status.lockState == .unlocked)
    }

    @Test("during the grace period a finger ends it and no key comes or goes") func grace() throws {
        let device = try TestDevice.withFinger()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: false))
        let epoch = device.enclave.keyEpoch
        device.sensor.give(.matched(nil))
        #expect(try device.unlockWithFinger() == .matched(nil))
        #expect(device.enclave.keyEpoch == epoch)
        device.clock.advance(by: 100)
        #expect(device.refusalToOpen(key) == nil)
        try device.expectDone(LockDevice(immediately: false))
        device.clock.advance(by: 11)
        #expect(device.refusalToOpen(key) == .locked)
        device.sensor.give(.matched(nil))
        #expect(try device.unlockWithFinger() == .matched(nil))
        #expect(device.refusalToOpen(key) == nil)
    }

    struct Discarding: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: VerdictRule
        let act: @Sendable (TestDevice) throws -> Void

        init(_ testDescription: String, _ rule: VerdictRule, _ act: @escaping @Sendable (TestDevice) throws -> Void) {
            self.testDescription = testDescription
            self.rule = rule
            self.act = act
        }
    }

    static let discarding = [
        Discarding("restart", .biometryLockedOut) { $0.enclave.restart() },
        Discarding("five misses", .biometryLockedOut) { device in
            for _ in 0..<5 {
                device.sensor.give(.notMatched)
                _ = try device.unlockWithFinger()
            }
        },
        Discarding("five misses and the passcode elsewhere", .biometryLockedOut) { device in
            for _ in 0..<5 {
                device.sensor.give(.notMatched)
                _ = try device.match(for: try device.openContext())
            }
            try device.expectDone(VerifyPasscode(passcode("1234")))
        },
        Discarding("48 hours", .biometryLockedOut) { $0.clock.advance(by: 48 * 3600) },
        Discarding("48 hours, then the passcode elsewhere", .biometryLockedOut) { device in
            device.clock.advance(by: 48 * 3600)
            try device.expectDone(VerifyPasscode(passcode("1234")))
        },
        Discarding("remote lock", .biometryLockedOut) { try $0.expectDone(LockRemotely()) },
        Discarding("remote lock, then the passcode elsewhere", .biometryLockedOut) { device in
            try device.expectDone(LockRemotely())
            try device.expectDone(VerifyPasscode(passcode("1234")))
        },
        Discarding("another finger", .biometryLockedOut) { $0.sensor.enroll(.leftThumb) },
        Discarding("no finger", .biometryNotEnrolled) { $0.sensor.remove(finger: .rightIndex) },
        Discarding("another passcode", .biometryLockedOut) {
            try $0.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        },
        Discarding("another passcode, from another process", .biometryLockedOut) { device in
            let other = try TestDevice(in: device.directory, clock: device.clock, seed: 5, sensor: ScriptedSensor())
            try other.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        },
    ]

    @Test("only the passcode unlocks after what makes fingers worthless", arguments: discarding)
    func discarded(_ row: Discarding) throws {
        let device = try TestDevice.withFinger()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: true))
        try row.act(device)
        device.sensor.give(.matched(nil))
        #expect(try device.unlockWithFinger() == .refused(row.rule))
        #expect(device.refusalToOpen(key) == .locked)
        let text = row.testDescription.hasPrefix("another passcode") ? "5678" : "1234"
        try device.expectDone(UnlockDevice(passcode(text)))
        #expect(device.refusalToOpen(key) == nil)
        // From the next lock on fingers unlock again, if there are any.
        guard row.rule != .biometryNotEnrolled else { return }
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.unlockWithFinger() == .matched(nil))
        #expect(device.refusalToOpen(key) == nil)
    }

    @Test("without passcode, removed or never set, there is nothing to unlock") func noPasscode() throws {
        let device = try TestDevice(sensor: ScriptedSensor(.rightIndex))
        #expect(try device.refusal(of: UnlockWithFinger(seconds: 60)) == .noPasscodeSet)
        #expect(try device.refusal(of: LockRemotely()) == .noPasscodeSet)
        #expect(
            try device.refusal(of: BeginEnrolment(of: .leftThumb, passcode: passcode("1234")))
                == .noPasscodeSet)
        #expect(
            try device.refusal(of: RemoveFinger(nil, passcode: passcode("1234"))) == .noPasscodeSet)
        #expect(
            try device.refusal(of: OfferPasscode(passcode("1234"), to: try device.openContext()))
                == .noPasscodeSet)
    }

    @Test("a finger locked out at the moment of the lock does not unlock later") func lockedOutAtLock() throws {
        let device = try TestDevice.withFinger()
        for _ in 0..<5 {
            device.sensor.give(.notMatched)
            _ = try device.match(for: try device.openContext())
        }
        try device.expectDone(LockDevice(immediately: true))
        try device.expectDone(VerifyPasscode(passcode("1234")))
        device.sensor.give(.matched(nil))
        #expect(try device.unlockWithFinger() == .refused(.biometryLockedOut))
    }

    @Test("a wait for the unlocking finger ends at its deadline and can be cancelled") func ended() throws {
        let device = try TestDevice.withFinger()
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.unlockWithFinger(seconds: 0) == .timedOut)
        let pending = Pending { try? device.unlockWithFinger() }
        device.sensor.waitForMatch()
        try device.expectDone(CancelUnlock())
        #expect(pending.value == .cancelled)
        #expect(try device.status.lockState == .locked)
    }

    @Test("the passcode given while a finger is awaited, and then the finger: both unlock") func both() throws {
        let device = try TestDevice.withFinger()
        try device.expectDone(LockDevice(immediately: true))
        let pending = Pending { try? device.unlockWithFinger() }
        device.sensor.waitForMatch()
        try device.expectDone(UnlockDevice(passcode("1234")))
        device.sensor.give(.matched(nil))
        #expect(pending.value == .matched(nil))
        #expect(try device.status.lockState == .unlocked)
    }

    struct Reuse: Sendable {
        let window: Double
        let age: Double
        let counts: Bool
    }

    @Test(
        "an unlock by finger counts as a match within the reuse window",
        arguments: [
            Reuse(window: 0, age: 0, counts: false), Reuse(window: 10, age: 0, counts: true),
            Reuse(window: 10, age: 10, counts: true), Reuse(window: 10, age: 10.5, counts: false),
            Reuse(window: 300, age: 300, counts: true), Reuse(window: 1000, age: 301, counts: false),
            Reuse(window: -5, age: 0, counts: false),
        ])
    func reuse(_ row: Reuse) throws {
        let device = try TestDevice.withFinger()
        let item = try device.item(.biometryAny)
        try device.expectDone(LockDevice(immediately: true))
        device.sensor.give(.matched(nil))
        _ = try device.unlockWithFinger()
        device.clock.advance(by: row.age)
        let context = try device.openContext()
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
        try device.expectDone(AllowReuse(seconds: row.window, in: context))
        #expect(device.refusalToOpen(item, with: context) == (row.counts ? nil : .authenticationNeeded))
        #expect(try device.verdict(.biometry, in: context) == (row.counts ? .granted : .needs(.match)))
        // An evaluation that succeeded stays succeeded.
        device.clock.advance(by: 1000)
        #expect(try device.verdict(.biometry, in: context) == (row.counts ? .granted : .needs(.match)))
        // But not for other fingers.
        device.sensor.enroll(.rightThumb)
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("an unlock by passcode, and a match for an app, do not count as an unlock by finger") func noReuse() throws {
        let device = try TestDevice.withFinger()
        _ = try device.matchedContext()
        try device.expectDone(LockDevice(immediately: true))
        try device.expectDone(UnlockDevice(passcode("1234")))
        let context = try device.openContext()
        try device.expectDone(AllowReuse(seconds: 300, in: context))
        #expect(try device.verdict(.biometry, in: context) == .needs(.match))
    }

    @Test("the timer ends what a finger could still unlock") func timer() throws {
        let device = try TestDevice.withFinger()
        #expect(device.enclave.secondsUntilTimer() == nil)
        try device.expectDone(LockDevice(immediately: false))
        #expect(device.enclave.secondsUntilTimer() == 10)
        device.clock.advance(by: 10)
        device.enclave.clockMoved()
        #expect(device.enclave.secondsUntilTimer() == 172_790.0)
        device.clock.advance(by: 48 * 3600)
        device.enclave.clockMoved()
        #expect(device.enclave.secondsUntilTimer() == nil)
    }

    @Test("after the lock no class key lies in the clear, although a finger can release them") func memory() throws {
        let device = try TestDevice(seed: .random(in: 1 << 40 ... .max), sensor: ScriptedSensor(.rightIndex))
        let text = "1234"
        try device.expectDone(SetPasscode(passcode(text)))
        _ = try device.biometry
        let key = try device.create(.whenUnlocked).get()
        var needles: [OwnMemory.Needle] = []
        do {
            let storage = try FileEnclaveStorage(directory: device.directory.storage)
            let keybag = SystemKeybag(
                try Keybag(parsing: try #require(try storage.keybag())), hardwareKey: storage.hardwareKey)
            let keys = try keybag.open(with: passcode(text))
            needles = keys.classes.filter { $0.availability == .onlyWhileUnlocked }.compactMap { keyClass in
                keys[keyClass].map { OwnMemory.Needle($0) }
            }
        }
        #expect(needles.count == 5)
        #expect(try OwnMemory.count(of: needles) == 5, "the scan is blind")
        try device.expectDone(LockDevice(immediately: true))
        #expect(try OwnMemory.count(of: needles) == 0)
        device.sensor.give(.matched(nil))
        #expect(try device.unlockWithFinger() == .matched(nil))
        #expect(device.refusalToOpen(key) == nil)
        #expect(try OwnMemory.count(of: needles) == 5)
    }
}
