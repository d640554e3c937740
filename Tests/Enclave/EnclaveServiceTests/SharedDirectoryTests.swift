import LatchkeyEnclaveContract
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyEnclaveService

/// Several enclaves on one directory, as embedded devices of several processes are.
@Suite struct SharedDirectoryTests {
    @Test("a passcode set by another process is noticed, and keys that need it go") func set() throws {
        let one = try TestDevice()
        let other = try one.reopened()
        let key = try other.create(.whenUnlocked).get()
        let always = try other.create(.always).get()
        let epoch = other.enclave.keyEpoch
        try one.expectDone(SetPasscode(passcode("1234")))
        #expect(other.enclave.keyEpoch != epoch)
        #expect(try other.status.lockState == .beforeFirstUnlock)
        #expect(other.refusalToOpen(key) == .locked)
        #expect(other.refusalToOpen(always) == nil)
        try other.expectDone(UnlockDevice(passcode("1234")))
        #expect(other.refusalToOpen(key) == nil)
    }

    @Test("a passcode changed by another process leaves the lock state alone") func change() throws {
        let one = try TestDevice.withPasscode()
        let other = try one.reopened()
        try other.expectDone(UnlockDevice(passcode("1234")))
        let key = try other.create(.whenUnlocked).get()
        try one.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        #expect(other.refusalToOpen(key) == nil)
        #expect(try other.refusal(of: VerifyPasscode(passcode("1234"))) == .wrongPasscode(attemptsLeft: 9))
        try other.expectDone(VerifyPasscode(passcode("5678")))
    }

    @Test(
        "a keybag that another process replaces while it is read is read again, and never answered from the former one")
    func replacedMeanwhile() throws {
        let one = try TestDevice.withPasscode()
        let moment = Moment()
        let storage = try FileEnclaveStorage(
            directory: one.directory.storage, entropy: one.entropy, testOnlyBetweenLooks: { moment.pass() })
        let other = try EnclaveService(
            storage: storage, clock: one.clock, entropy: one.entropy, passcodeCost: .fixed(log2Cost: 4))
        try one.expectDone(RemovePasscode(passcode("1234")))
        moment.arm {
            // Two more generations of the keybag, so that the key found before opens neither.
            _ = try? one.enclave.ask(SetPasscode(passcode("5678")))
            _ = try? one.enclave.ask(ConfigureDevice(passcode: passcode("5678"), eraseAfterTenFailures: true))
        }
        let status = try other.ask(AskStatus())
        #expect(status.hasPasscode && status.eraseAfterTenFailures)
    }

    @Test("a passcode removed by another process opens the device and ends the class that needs one")
    func remove() throws {
        let one = try TestDevice.withPasscode()
        let other = try one.reopened()
        try other.expectDone(UnlockDevice(passcode("1234")))
        let bound = try other.create(.whenPasscodeSetThisDeviceOnly).get()
        try one.expectDone(RemovePasscode(passcode("1234")))
        #expect(try other.status.lockState == .noPasscode)
        #expect(other.refusalToOpen(bound) == .classKeyMissing)
    }

    @Test("an erase by another process ends the keys here too") func erase() throws {
        let one = try TestDevice.withPasscode()
        let other = try one.reopened()
        try other.expectDone(UnlockDevice(passcode("1234")))
        let key = try other.create(.always).get()
        try one.expectDone(EraseDevice(passcode: passcode("1234")))
        #expect(other.refusalToOpen(key) == .damaged)
        #expect(try other.status.keybagUUID == one.status.keybagUUID)
        try other.expectDone(SetPasscode(passcode("1234")))
        #expect(try one.refusal(of: SetPasscode(passcode("1234"))) == .passcodeAlreadySet)
    }

    @Test("a time to lock that another process sets begins now, and the timer hears of it") func idleTime() throws {
        let one = try TestDevice.withPasscode()
        let other = try one.reopened()
        try other.expectDone(UnlockDevice(passcode("1234")))
        let key = try other.create(.whenUnlocked).get()
        one.clock.advance(by: 10_000)
        #expect(other.refusalToOpen(key) == nil)
        try one.expectDone(ConfigureDevice(passcode: passcode("1234"), lockAfterSeconds: 600))
        let ticket = other.enclave.signal.ticket
        #expect(try other.status.lockAfterSeconds == 600)
        #expect(other.enclave.signal.ticket != ticket)
        #expect(other.enclave.secondsUntilTimer() == 600)
        one.clock.advance(by: 599)
        #expect(try other.status.lockState == .unlocked)
        one.clock.advance(by: 1)
        #expect(try other.status.lockState == .locked)
    }

    @Test("tries that another process counted show in the status") func status() throws {
        let one = try TestDevice.withPasscode()
        let other = try one.reopened()
        #expect(try other.status.failedAttempts == 0)
        try AttemptTests.fail(one, times: 5)
        #expect(try other.status.failedAttempts == 5)
        #expect(try other.status.secondsUntilNextAttempt == 60)
    }

    @Test("keys are unwrapped while a passcode operation holds the storage") func unwrapWhileBusy() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        // The lock of the passcode operations is held here, as it is for as long as scrypt takes.
        device.enclave.testOnlyDuringPasscodeOperation {
            #expect(device.refusalToOpen(key) == nil)
            #expect((try? device.status.hasPasscode) == true)
        }
    }
}

/// Something that happens once.
private final class Moment: Sendable {
    private let body = Mutex<(@Sendable () -> Void)?>(nil)

    func arm(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    func pass() {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
