import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite struct AttemptTests {
    /// Tries different wrong passcodes, waiting as long as the device asks before each.
    static func fail(_ device: TestDevice, times: Int, from first: Int = 0) throws {
        for number in first..<first + times {
            device.clock.advance(by: try device.status.secondsUntilNextAttempt)
            _ = try device.refusal(of: VerifyPasscode(passcode("wrong \(number)")))
        }
    }

    @Test(
        "after n failures the device waits as long as the table says",
        arguments: [
            (1, 0.0), (2, 0), (3, 0), (4, 0), (5, 60), (6, 300), (7, 900), (8, 900), (9, 3600),
        ])
    func delay(failures: Int, seconds: Double) throws {
        let device = try TestDevice.withPasscode()
        try Self.fail(device, times: failures)
        #expect(try device.status.failedAttempts == failures)
        #expect(try device.status.secondsUntilNextAttempt == seconds)
        guard seconds > 0 else { return }
        #expect(try device.refusal(of: UnlockDevice(passcode("1234"))) == .delayed(seconds: seconds))
        device.clock.advance(by: seconds - 1)
        #expect(try device.refusal(of: UnlockDevice(passcode("1234"))) == .delayed(seconds: 1))
        device.clock.advance(by: 1)
        try device.expectDone(UnlockDevice(passcode("1234")))
        #expect(try device.status.failedAttempts == 0)
    }

    @Test("a delay outlives the process, and moving the wall clock changes nothing") func reopened() throws {
        let device = try TestDevice.withPasscode()
        try Self.fail(device, times: 5)
        device.clock.advance(by: 20)
        device.clock.setWallTime(2_000_000_000)
        #expect(try device.status.secondsUntilNextAttempt == 40)
        let reopened = try device.reopened()
        #expect(try reopened.status.secondsUntilNextAttempt == 40)
        #expect(try reopened.status.failedAttempts == 5)
    }

    @Test("a restart of the device begins the delay anew, once") func restarted() throws {
        let device = try TestDevice.withPasscode()
        try Self.fail(device, times: 5)
        device.clock.advance(by: 50)
        device.enclave.restart()
        #expect(try device.status.secondsUntilNextAttempt == 60)
        device.clock.advance(by: 30)
        #expect(try device.status.secondsUntilNextAttempt == 30)
        #expect(try device.reopened().status.secondsUntilNextAttempt == 30)
    }

    @Test("an uptime that begins again is a restart") func uptimeReset() throws {
        let device = try TestDevice.withPasscode()
        try Self.fail(device, times: 5)
        device.clock.setUptime(1)
        let reopened = try device.reopened()
        #expect(try reopened.status.secondsUntilNextAttempt == 60)
        device.clock.advance(by: 45)
        #expect(try reopened.status.secondsUntilNextAttempt == 15)
        #expect(try device.reopened().status.secondsUntilNextAttempt == 15)
    }

    @Test("the same wrong passcode twice in a row counts once") func repeated() throws {
        let device = try TestDevice.withPasscode()
        #expect(try device.refusal(of: UnlockDevice(passcode("0000"))) == .wrongPasscode(attemptsLeft: 9))
        #expect(try device.refusal(of: UnlockDevice(passcode("0000"))) == .sameWrongPasscode)
        #expect(try device.refusal(of: VerifyPasscode(passcode("0000"))) == .sameWrongPasscode)
        #expect(try device.status.failedAttempts == 1)
        #expect(try device.refusal(of: UnlockDevice(passcode("1111"))) == .wrongPasscode(attemptsLeft: 8))
        #expect(try device.refusal(of: UnlockDevice(passcode("0000"))) == .wrongPasscode(attemptsLeft: 7))
    }

    @Test("every operation that takes the passcode counts it", arguments: 0..<6)
    func counted(index: Int) throws {
        let device = try TestDevice.withPasscode()
        let wrong = passcode("0000")
        let questions: [any EnclaveQuestion] = [
            UnlockDevice(wrong), VerifyPasscode(wrong), RemovePasscode(wrong),
            ChangePasscode(from: wrong, to: passcode("1")), EraseDevice(passcode: wrong),
            ConfigureDevice(passcode: wrong, eraseAfterTenFailures: true),
        ]
        #expect(try device.refusal(of: questions[index]) == .wrongPasscode(attemptsLeft: 9))
        #expect(try device.status.failedAttempts == 1)
        #expect(try device.reopened().status.failedAttempts == 1)
        #expect(try device.status.hasPasscode)
    }

    @Test("after ten failures only erasing helps") func disabled() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.always).get()
        try Self.fail(device, times: 9)
        device.clock.advance(by: 3600)
        #expect(try device.refusal(of: UnlockDevice(passcode("last"))) == .disabled)
        for device in [device, try device.reopened()] {
            #expect(try device.status.isDisabled)
            device.clock.advance(by: 1_000_000)
            #expect(try device.refusal(of: UnlockDevice(passcode("1234"))) == .disabled)
            #expect(device.refusalToOpen(key) == nil)
        }
        try device.expectDone(EraseDevice(passcode: nil))
        #expect(try device.status.lockState == .noPasscode)
        #expect(try device.status.isDisabled == false)
        #expect(device.refusalToOpen(key) == .damaged)
    }

    @Test("with the option, the tenth failure erases") func erased() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(ConfigureDevice(passcode: passcode("1234"), eraseAfterTenFailures: true))
        let key = try device.create(.always).get()
        try Self.fail(device, times: 9)
        device.clock.advance(by: 3600)
        #expect(try device.refusal(of: UnlockDevice(passcode("last"))) == .erased)
        for device in [device, try device.reopened()] {
            #expect(try device.status.lockState == .noPasscode)
            #expect(try device.status.failedAttempts == 0)
            #expect(device.refusalToOpen(key) == .damaged)
        }
    }

    @Test("a tenth try that was cut off before it could erase erases at the next start") func erasedAtStart() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(ConfigureDevice(passcode: passcode("1234"), eraseAfterTenFailures: true))
        try Self.fail(device, times: 9)
        let storage = try FileEnclaveStorage(directory: device.directory.storage)
        var record = try storage.attempts()
        record.failures = 10
        try storage.replaceAttempts(record)
        #expect(try device.reopened().status.lockState == .noPasscode)
    }

    @Test("wrong passcodes from many threads are counted exactly") func concurrent() throws {
        let device = try TestDevice.withPasscode()
        let enclave = device.enclave
        let refusals = Mutex<[EnclaveRefusal]>([])
        DispatchQueue.concurrentPerform(iterations: 12) { number in
            do throws(EnclaveRefusal) {
                _ = try enclave.ask(UnlockDevice(passcode("wrong \(number)")))
            } catch {
                refusals.withLock { $0.append(error) }
            }
        }
        let counted = refusals.withLock { $0 }.compactMap { refusal in
            if case .wrongPasscode(let attemptsLeft) = refusal { attemptsLeft } else { nil }
        }
        // The fifth failure begins a delay, which refuses the other seven uncounted.
        #expect(counted.sorted() == [5, 6, 7, 8, 9])
        #expect(refusals.withLock { $0.count } == 12)
        #expect(try device.status.failedAttempts == 5)
    }

    @Test("wrong passcodes through several enclaves on one directory are counted exactly") func severalProcesses()
        throws
    {
        let device = try TestDevice.withPasscode()
        let others = try (0..<4).map { try device.reopened(seed: UInt64($0)) }
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            _ = try? others[number % 4].enclave.ask(UnlockDevice(passcode("wrong \(number)")))
        }
        let storage = try FileEnclaveStorage(directory: device.directory.storage)
        #expect(try storage.attempts().failures == 5)
        guard case .delayed = try others[0].refusal(of: UnlockDevice(passcode("1234"))) else {
            Issue.record("a delay does not bind another process")
            return
        }
    }
}
