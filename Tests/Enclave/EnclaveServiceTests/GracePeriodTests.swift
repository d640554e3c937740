import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite struct GracePeriodTests {
    @Test("keys go at the end of the grace period and not before") func end() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: false))
        let epoch = device.enclave.keyEpoch
        device.clock.advance(by: 9.9)
        #expect(device.refusalToOpen(key) == nil)
        #expect(device.enclave.keyEpoch == epoch)
        device.clock.advance(by: 0.2)
        #expect(device.refusalToOpen(key) == .locked)
        #expect(device.enclave.keyEpoch != epoch)
    }

    @Test("the epoch alone tells that the grace period is over") func epochTells() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(LockDevice(immediately: false))
        let epoch = device.enclave.keyEpoch
        device.clock.advance(by: 11)
        #expect(device.enclave.keyEpoch != epoch)
    }

    @Test("unlocking during the grace period cancels it") func cancelled() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: false))
        let epoch = device.enclave.keyEpoch
        device.clock.advance(by: 5)
        try device.expectDone(UnlockDevice(passcode("1234")))
        #expect(device.enclave.keyEpoch == epoch, "no key came or went")
        device.clock.advance(by: 100)
        #expect(device.refusalToOpen(key) == nil)
        #expect(try device.status.lockState == .unlocked)
    }

    @Test("locking again neither prolongs the grace period nor is lost") func lockedAgain() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(LockDevice(immediately: false))
        device.clock.advance(by: 6)
        try device.expectDone(LockDevice(immediately: false))
        #expect(try device.status.graceSecondsLeft == 4)
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: true))
        #expect(device.refusalToOpen(key) == .locked)
        #expect(device.enclave.secondsUntilTimer() == nil)
    }

    @Test("moving the wall clock back keeps no key") func wallClock() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: false))
        device.clock.advance(by: 11)
        device.clock.setWallTime(0)
        #expect(device.refusalToOpen(key) == .locked)
    }

    @Test("without a grace period locking ends the keys at once") func none() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(ConfigureDevice(passcode: passcode("1234"), gracePeriodSeconds: 0))
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: false))
        #expect(device.refusalToOpen(key) == .locked)
    }

    @Test("a program that waits for a change is woken by the end of the grace period") func waiting() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(LockDevice(immediately: false))
        let epoch = device.enclave.keyEpoch
        #expect(device.enclave.secondsUntilTimer() == 10)
        let answer = Mutex<UInt64?>(nil)
        let finished = DispatchSemaphore(value: 0)
        let enclave = device.enclave
        Thread.detachNewThread {
            if let epoch = try? enclave.ask(AwaitKeyChange(after: epoch)).value {
                answer.withLock { $0 = epoch }
            }
            finished.signal()
        }
        device.clock.advance(by: 10)
        device.enclave.clockMoved()
        finished.wait()
        #expect(answer.withLock { $0 } == device.enclave.keyEpoch)
        #expect(device.enclave.keyEpoch != epoch)
    }

    @Test("a program that waits with an old epoch is answered at once") func staleEpoch() throws {
        let device = try TestDevice.withPasscode()
        #expect(try device.enclave.ask(AwaitKeyChange(after: 0)).value == device.enclave.keyEpoch)
    }
}
