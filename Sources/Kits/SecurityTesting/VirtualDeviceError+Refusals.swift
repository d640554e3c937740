import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyKeychainService

extension VirtualDeviceError {
    static func closed(_ call: String) -> VirtualDeviceError {
        VirtualDeviceError(
            .closed, call, reason: "The virtual device was closed.", advice: "Close it after the last call.")
    }

    static func notRunning(_ call: String) -> VirtualDeviceError {
        VirtualDeviceError(
            .notRunning, call, reason: "The virtual device is switched off.", advice: "Call start().")
    }

    /// A refusal of the enclave, which judges passcodes.
    init(_ refusal: EnclaveRefusal, _ call: String, of device: VirtualDevice) {
        let code: Code
        let advice: String
        switch refusal {
        case .wrongPasscode, .sameWrongPasscode:
            (code, advice) = (.wrongPasscode, "Give the passcode that was set.")
        case .delayed:
            (code, advice) = (.delayed, "Call advance(by:) with status.timeUntilNextAttempt, or wait.")
        case .disabled:
            (code, advice) = (.disabled, "Call erase(); all items are lost.")
        case .erased:
            (code, advice) = (.erased, "Start anew: the device has neither passcode nor items.")
        case .passcodeNeeded:
            (code, advice) = (.unknownPasscode, "Remove it with removePasscode(_:), then set one with setPasscode(_:).")
        case .passcodeAlreadySet:
            (code, advice) = (.passcodeAlreadySet, "Call changePasscode(from:to:).")
        case .noPasscodeSet:
            (code, advice) = (.noPasscodeSet, "Call setPasscode(_:) first.")
        case .badPasscode:
            (code, advice) = (.unusablePasscode, "Use another passcode.")
        case .storage:
            (code, advice) = (.storageFailed, "Look at the files in the device's directory.")
        case .malformed:
            (code, advice) = (.unexpectedAnswer, Self.versionAdvice)
        }
        self.init(code, call, reason: PasscodeWords.reason(refusal), advice: advice, of: device)
    }

    /// A device that cannot be opened.
    init(_ failure: DeviceFailure, _ call: String? = nil) {
        let (code, advice): (Code, String) =
            switch failure.code {
            case .badLocation, .inUse, .unsafePermissions, .storage, .damaged:
                (.storageFailed, "Look at the files in the device's directory.")
            case .unreachable: (.unreachable, Self.logAdvice)
            }
        self.init(code, call, reason: failure.description, advice: advice)
    }

    /// A daemon that does not answer.
    static func unreachable(_ refusal: Refusal, _ call: String, of device: VirtualDevice? = nil) -> VirtualDeviceError {
        VirtualDeviceError(.unreachable, call, reason: refusal.reason, advice: logAdvice, of: device)
    }

    static func unexpected(_ answer: String, _ call: String, of device: VirtualDevice) -> VirtualDeviceError {
        VirtualDeviceError(
            .unexpectedAnswer, call, reason: "The device answered \(answer).", advice: versionAdvice, of: device)
    }

    private static let versionAdvice = "Build SecurityTesting, latchkeyd and latchkey-enclave from one version."
    private static let logAdvice = "Call reboot(), and look at run/latchkeyd.test.log in the device's directory."
}
