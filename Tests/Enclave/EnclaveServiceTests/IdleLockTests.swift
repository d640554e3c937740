import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

/// The device locks by itself when it was not used for as long as its owner said.
@Suite struct IdleLockTests {
    /// Unlocked, with passcode 1234; locks after ten minutes without use, with ten seconds of grace.
    private static func device() throws -> TestDevice {
        let device = try TestDevice.withPasscode()
        try device.expectDone(configure(600))
        return device
    }

    private static func configure(_ seconds: Double?) -> ConfigureDevice {
        ConfigureDevice(passcode: passcode("1234"), lockAfterSeconds: seconds)
    }

    @Test("an unused device locks at its time, and its keys go at the end of the grace period")
    func locks() throws {
        let device = try Self.device()
        let key = try device.create(.whenUnlocked).get()
        device.clock.advance(by: 599)
        #expect(try device.status.lockState == .unlocked)
        let epoch = device.enclave.keyEpoch
        device.clock.advance(by: 1)
        #expect(try device.status.lockState == .locked)
        #expect(try device.status.graceSecondsLeft == 10)
        #expect(device.enclave.keyEpoch != epoch, "who follows the epoch hears of the lock")
        #expect(device.refusalToOpen(key) == nil)
        device.clock.advance(by: 10)
        #expect(device.refusalToOpen(key) == .locked)
    }

    @Test("without a look until long after, the keys are gone at the first look")
    func lookedAtLate() throws {
        let device = try Self.device()
        let key = try device.create(.whenUnlocked).get()
        device.clock.advance(by: 86_400)
        #expect(device.refusalToOpen(key) == .locked)
        #expect(try device.status.graceSecondsLeft == nil)
    }

    @Test("the timer is due when the device locks, and not before")
    func timer() throws {
        let device = try Self.device()
        #expect(device.enclave.secondsUntilTimer() == 600)
        device.clock.advance(by: 600)
        #expect(device.enclave.secondsUntilTimer() == 0)
        device.enclave.clockMoved()
        #expect(device.enclave.secondsUntilTimer() == 10)
    }

    private struct Use: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let counts: Bool
        let body: @Sendable (TestDevice, CreatedKey, CreatedKey) throws -> Void
    }

    private static let uses = [
        Use(testDescription: "a secret that a lock protects", counts: true) { device, key, _ in
            #expect(device.refusalToOpen(key) == nil)
        },
        Use(testDescription: "the passcode for whatever", counts: true) { device, _, _ in
            try device.expectDone(VerifyPasscode(passcode("1234")))
        },
        Use(testDescription: "unlocking the unlocked device", counts: true) { device, _, _ in
            try device.expectDone(UnlockDevice(passcode("1234")))
        },
        Use(testDescription: "a changed setting", counts: true) { device, _, _ in
            try device.expectDone(ConfigureDevice(passcode: passcode("1234"), eraseAfterTenFailures: true))
        },
        Use(testDescription: "a wrong passcode", counts: false) { device, _, _ in
            _ = try device.refusal(of: VerifyPasscode(passcode("9999")))
        },
        Use(testDescription: "a look at the status", counts: false) { device, _, _ in _ = try device.status },
        Use(testDescription: "a secret that no lock protects", counts: false) { device, _, always in
            #expect(device.refusalToOpen(always) == nil)
        },
        Use(testDescription: "a key for a new item", counts: false) { device, _, _ in
            _ = try device.create(.whenUnlocked).get()
        },
        Use(testDescription: "a key of the attributes", counts: false) { device, _, _ in
            let metadata = try device.create(.whenUnlocked, use: .metadata).get()
            #expect(device.refusalToOpen(metadata) == nil)
        },
        Use(testDescription: "a file that a lock protects", counts: false) { device, _, _ in
            for protection in [FileProtection.complete, .completeUnlessOpen] {
                let file = try device.createFileKey(protection).get()
                #expect(device.refusalToOpen(file) == nil)
                #expect(device.rewrap(file, to: .none).code == nil)
            }
        },
    ]

    @Test("only a use of what a lock protects, or a person's proof, begins the time anew", arguments: uses)
    private func use(_ use: Use) throws {
        let device = try Self.device()
        let (key, always) = (try device.create(.whenUnlocked).get(), try device.create(.afterFirstUnlock).get())
        device.clock.advance(by: 500)
        try use.body(device, key, always)
        device.clock.advance(by: 100)
        #expect(try device.status.lockState == (use.counts ? .unlocked : .locked))
        device.clock.advance(by: 500)
        #expect(try device.status.lockState == .locked)
    }

    @Test("a signature of the enclave's key counts as use")
    func ownKey() throws {
        let device = try Self.device()
        let key = try device.ownKey()
        device.clock.advance(by: 500)
        #expect(device.refusal(.sign, key) == nil)
        device.clock.advance(by: 500)
        #expect(try device.status.lockState == .unlocked)
    }

    @Test("a locked device is not touched, and unlocking begins the time")
    func lockedMeanwhile() throws {
        let device = try Self.device()
        try device.expectDone(LockDevice(immediately: true))
        device.clock.advance(by: 10_000)
        try device.expectDone(UnlockDevice(passcode("1234")))
        device.clock.advance(by: 599)
        #expect(try device.status.lockState == .unlocked)
    }

    @Test("the setting outlives the process, in which nothing is unlocked")
    func restarts() throws {
        let device = try Self.device().reopened()
        #expect(try device.status.lockState == .beforeFirstUnlock)
        #expect(try device.status.lockAfterSeconds == 600)
        device.clock.advance(by: 10_000)
        #expect(try device.status.lockState == .beforeFirstUnlock)
        try device.expectDone(UnlockDevice(passcode("1234")))
        device.clock.advance(by: 600)
        #expect(try device.status.lockState == .locked)
    }

    @Test("setting the wall clock changes nothing")
    func wallClock() throws {
        let device = try Self.device()
        device.clock.setWallTime(9_000_000_000)
        #expect(try device.status.lockState == .unlocked)
        device.clock.setWallTime(0)
        device.clock.advance(by: 600)
        #expect(try device.status.lockState == .locked)
    }

    @Test("a device without a passcode never locks, and zero takes the time back")
    func never() throws {
        let device = try TestDevice()
        try device.expectDone(ConfigureDevice(passcode: nil, lockAfterSeconds: 60))
        device.clock.advance(by: 1000)
        #expect(try device.status.lockState == .noPasscode)
        try device.expectDone(SetPasscode(passcode("1234")))
        try device.expectDone(Self.configure(0))
        #expect(try device.status.lockAfterSeconds == nil)
        device.clock.advance(by: 1000)
        #expect(try device.status.lockState == .unlocked)
    }

    @Test("a time out of range is refused", arguments: [-1, 1, 59.9, 86_401, .infinity])
    func range(_ seconds: Double) throws {
        let device = try TestDevice.withPasscode()
        guard case .malformed = try device.refusal(of: Self.configure(seconds)) else {
            Issue.record("another refusal")
            return
        }
    }

    @Test("a finger unlocks what locked by itself")
    func finger() throws {
        let device = try TestDevice.withFinger()
        try device.expectDone(Self.configure(600))
        _ = try device.biometry
        device.clock.advance(by: 700)
        #expect(try device.status.lockState == .locked)
        device.sensor.give(.matched(.rightIndex))
        #expect(try device.unlockWithFinger() == .matched(.rightIndex))
        #expect(try device.status.lockState == .unlocked)
        device.clock.advance(by: 599)
        #expect(try device.status.lockState == .unlocked)
    }
}
