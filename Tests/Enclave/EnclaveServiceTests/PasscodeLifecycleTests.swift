import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct PasscodeLifecycleTests {
    @Test("keys made before a passcode open after setting, changing and removing it") func keysSurvive() throws {
        let device = try TestDevice()
        let keys = device.keysOfAllClasses()
        #expect(keys.count == KeyClass.allCases.count - 1)
        func expectAllOpen(_ device: TestDevice) {
            for (keyClass, key) in keys { #expect(device.refusalToOpen(key) == nil, "\(keyClass)") }
        }
        try device.expectDone(SetPasscode(passcode("1234")))
        expectAllOpen(device)
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("a longer one")))
        expectAllOpen(device)
        let reopened = try device.reopened()
        #expect(try reopened.status.lockState == .beforeFirstUnlock)
        try reopened.expectDone(UnlockDevice(passcode("a longer one")))
        expectAllOpen(reopened)
        try reopened.expectDone(RemovePasscode(passcode("a longer one")))
        expectAllOpen(reopened)
        expectAllOpen(try reopened.reopened())
    }

    @Test("a changed passcode opens and the former does not") func change() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        #expect(try device.refusal(of: VerifyPasscode(passcode("1234"))) == .wrongPasscode(attemptsLeft: 9))
        try device.expectDone(VerifyPasscode(passcode("5678")))
    }

    @Test("changing the passcode leaves a locked device locked") func changeWhileLocked() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        try device.expectDone(LockDevice(immediately: true))
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        #expect(try device.status.lockState == .locked)
        #expect(device.refusalToOpen(key) == .locked)
    }

    @Test("verifying the passcode does not unlock") func verifyWhileLocked() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(LockDevice(immediately: true))
        try device.expectDone(VerifyPasscode(passcode("1234")))
        #expect(try device.status.lockState == .locked)
    }

    @Test("removing the passcode ends the keys of the class that needs one, for ever") func passcodeBoundKeysEnd()
        throws
    {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenPasscodeSetThisDeviceOnly).get()
        #expect(device.refusalToOpen(key) == nil)
        try device.expectDone(RemovePasscode(passcode("1234")))
        #expect(device.refusalToOpen(key) == .classKeyMissing)
        #expect(try device.reopened().refusalToOpen(key) == .classKeyMissing)
        try device.expectDone(SetPasscode(passcode("1234")))
        #expect(device.refusalToOpen(key) == .damaged, "the same passcode again makes another class key")
        #expect(device.refusalToOpen(try device.create(.whenPasscodeSetThisDeviceOnly).get()) == nil)
    }

    @Test("changing the passcode keeps the keys of the class that needs one") func passcodeBoundKeysStay() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenPasscodeSetThisDeviceOnly).get()
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        #expect(device.refusalToOpen(key) == nil)
    }

    @Test(
        "a passcode out of the rule is refused with the rule",
        arguments: [
            ("", "a passcode has at least one character"),
            (String(repeating: "x", count: 1025), "a passcode has at most 1024 bytes, not 1025"),
        ])
    func rule(_ text: String, reason: String) throws {
        let device = try TestDevice()
        #expect(try device.refusal(of: SetPasscode(passcode(text))) == .badPasscode(reason: reason))
        try device.expectDone(SetPasscode(passcode("1234")))
        let change = ChangePasscode(from: passcode("1234"), to: passcode(text))
        #expect(try device.refusal(of: change) == .badPasscode(reason: reason))
    }

    @Test("passcodes of every length that the rule allows are accepted", arguments: [1, 4, 64, 1023, 1024])
    func longPasscodes(count: Int) throws {
        let device = try TestDevice()
        let text = String(repeating: "7", count: count)
        try device.expectDone(SetPasscode(passcode(text)))
        device.enclave.restart()
        try device.expectDone(UnlockDevice(passcode(text)))
    }

    @Test("each operation says what it misses") func missing() throws {
        let device = try TestDevice()
        let one = passcode("1")
        #expect(try device.refusal(of: UnlockDevice(one)) == .noPasscodeSet)
        #expect(try device.refusal(of: VerifyPasscode(one)) == .noPasscodeSet)
        #expect(try device.refusal(of: RemovePasscode(one)) == .noPasscodeSet)
        #expect(try device.refusal(of: ChangePasscode(from: one, to: one)) == .noPasscodeSet)
        #expect(try device.refusal(of: LockDevice(immediately: false)) == .noPasscodeSet)
        try device.expectDone(SetPasscode(one))
        #expect(try device.refusal(of: SetPasscode(one)) == .passcodeAlreadySet)
        #expect(try device.refusal(of: EraseDevice(passcode: nil)) == .passcodeNeeded)
        let configure = ConfigureDevice(passcode: nil, eraseAfterTenFailures: true)
        #expect(try device.refusal(of: configure) == .passcodeNeeded)
    }

    @Test("erasing ends every key and begins a device without a passcode") func erase() throws {
        let device = try TestDevice.withPasscode()
        let keys = device.keysOfAllClasses()
        let uuid = try device.status.keybagUUID
        try device.expectDone(EraseDevice(passcode: passcode("1234")))
        #expect(try device.status.lockState == .noPasscode)
        #expect(try device.status.keybagUUID != uuid)
        for device in [device, try device.reopened()] {
            for (keyClass, key) in keys {
                #expect(device.refusalToOpen(key) != nil, "\(keyClass)")
            }
        }
    }

    @Test("settings survive a restart, and a bad grace period is refused") func settings() throws {
        let device = try TestDevice.withPasscode()
        try device.expectDone(
            ConfigureDevice(passcode: passcode("1234"), eraseAfterTenFailures: true, gracePeriodSeconds: 2.5))
        let status = try device.reopened().status
        #expect(status.eraseAfterTenFailures)
        #expect(status.gracePeriodSeconds == 2.5)
        for bad in [-1, 14_401, Double.nan, .infinity] {
            let refusal = try device.refusal(of: ConfigureDevice(passcode: passcode("1234"), gracePeriodSeconds: bad))
            guard case .malformed = refusal else {
                Issue.record("a grace period of \(bad) is answered with \(refusal)")
                continue
            }
        }
    }

    @Test("a calibrated passcode takes at least 2^14 rounds and opens again") func calibration() throws {
        let device = try TestDevice()
        let calibrated = try device.calibrated()
        try calibrated.expectDone(SetPasscode(passcode("1234")))
        let log2Cost = try #require(try device.storedKeybag().header.passcodeParameters?.log2Cost)
        #expect(log2Cost >= 14)
        calibrated.enclave.restart()
        try calibrated.expectDone(UnlockDevice(passcode("1234")))
    }
}
