package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    package func answer(_ question: SetPasscode) throws(EnclaveRefusal) -> Done {
        let new = question.passcode
        return try operation { keybag throws(EnclaveRefusal) in
            guard !keybag.hasPasscode else { throw .passcodeAlreadySet }
            try checkRule(new)
            let keys = try opened { () throws(KeybagUnlockFailure) in try keybag.openWithoutPasscode() }
            let next = try rewrapped(keybag, keys, passcode: new)
            try replaceKeybag(with: next.keybag, keys: next.keys, phase: .unlocked(lastUse: clock.uptime()))
            state.withLock { $0.biometry.passcodeGiven(uptime: clock.uptime()) }
        }
    }

    /// The lock state and the loaded keys do not change, because the class keys stay the same. If the device is locked,
    /// a finger cannot unlock it any more.
    package func answer(_ question: ChangePasscode) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            try checkRule(question.new)
            let keys = try open(keybag, with: question.current)
            try replaceKeybag(with: try rewrapped(keybag, keys, passcode: question.new).keybag)
            state.withLock { $0.forgetFinger() }
        }
    }

    package func answer(_ question: RemovePasscode) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            let keys = try open(keybag, with: question.passcode)
            let next = try rewrapped(keybag, keys, passcode: nil)
            try replaceKeybag(with: next.keybag, keys: next.keys, phase: .noPasscode)
        }
    }

    package func answer(_ question: UnlockDevice) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            let keys = try open(keybag, with: question.passcode)
            let uptime = clock.uptime()
            changing { $0.unlock(with: keys, uptime: uptime) }
            signal.timerChanged()
        }
        // Reads the enrolled set for the next lock, because locking itself does not wait for the sensor.
        _ = enrolment.look()
        return Done()
    }

    package func answer(_ question: VerifyPasscode) throws(EnclaveRefusal) -> Done {
        try verify(question.passcode)
    }

    @discardableResult
    func verify(_ passcode: SecretBox) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            _ = try open(keybag, with: passcode)
        }
    }

    package func answer(_ question: EraseDevice) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            let isDisabled = state.withLock { $0.counter.isExhausted }
            if keybag.hasPasscode, !isDisabled {
                guard let passcode = question.passcode else { throw .passcodeNeeded }
                _ = try open(keybag, with: passcode)
            }
            try startOver()
        }
    }

    package func answer(_ question: ConfigureDevice) throws(EnclaveRefusal) -> Done {
        try operation { keybag throws(EnclaveRefusal) in
            var settings = keybag.settings
            if let eraseAfterTenFailures = question.eraseAfterTenFailures {
                settings.eraseAfterTenFailures = eraseAfterTenFailures
            }
            if let gracePeriodSeconds = question.gracePeriodSeconds {
                guard DeviceSettings.gracePeriodRange.contains(gracePeriodSeconds) else {
                    throw .malformed(reason: "a grace period has 0 to 14400 seconds, not \(gracePeriodSeconds)")
                }
                settings.gracePeriodSeconds = gracePeriodSeconds
            }
            if let lockAfterSeconds = question.lockAfterSeconds {
                guard lockAfterSeconds == 0 || DeviceSettings.lockAfterRange.contains(lockAfterSeconds) else {
                    throw .malformed(
                        reason: "a device locks after 60 to 86400 seconds without use, or never (0), not after "
                            + "\(lockAfterSeconds)")
                }
                settings.lockAfterSeconds = lockAfterSeconds == 0 ? nil : lockAfterSeconds
            }
            if keybag.hasPasscode {
                guard let passcode = question.passcode else { throw .passcodeNeeded }
                _ = try open(keybag, with: passcode)
            }
            guard settings != keybag.settings else { return }
            try replaceKeybag(with: keybag.with(settings))
        }
    }

    private func checkRule(_ passcode: SecretBox) throws(EnclaveRefusal) {
        switch PasscodeRule.verdict(on: passcode) {
        case .accepted: break
        case .empty: throw .badPasscode(reason: "a passcode has at least one character")
        case .tooLong(let found):
            let limit = PasscodeRule.byteCountRange.upperBound
            throw .badPasscode(reason: "a passcode has at most \(limit) bytes, not \(found)")
        }
    }

    private func rewrapped(
        _ keybag: SystemKeybag, _ keys: ClassKeys, passcode: SecretBox?
    ) throws(EnclaveRefusal) -> (keybag: SystemKeybag, keys: ClassKeys) {
        let cost = passcode.map { _ in calibration.cost(for: passcodeCost) }
        return try opened { () throws(KeybagUnlockFailure) in
            try keybag.rewrapped(
                keys, passcode: passcode, log2Cost: cost?.log2Cost ?? 1, tryMicroseconds: cost?.tryMicroseconds,
                entropy: entropy)
        }
    }

    private func opened<Value>(_ body: () throws(KeybagUnlockFailure) -> Value) throws(EnclaveRefusal) -> Value {
        do throws(KeybagUnlockFailure) { return try body() } catch {
            throw .storage(reason: "the keybag cannot be opened: \(error)")
        }
    }
}
