package import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// The texts for the enclave's refusals.
package enum PasscodeWords {
    package static func reason(_ refusal: EnclaveRefusal) -> String {
        switch refusal {
        case .wrongPasscode(let left): "The passcode is wrong; \(left == 1 ? "one try is" : "\(left) tries are") left."
        case .sameWrongPasscode: "The passcode is wrong, the same as before; it was not counted again."
        case .delayed(let seconds): "After the failed tries the next one is accepted in \(Int(seconds.rounded(.up))) s."
        case .disabled: "The device is disabled after ten failed tries."
        case .erased: "The tenth failed try erased the device, as its option says."
        case .passcodeNeeded: "The device has a passcode and needs it for this."
        case .passcodeAlreadySet: "A passcode is set already."
        case .noPasscodeSet: "No passcode is set."
        case .badPasscode(let reason): "The passcode cannot be used: \(reason.withoutFullStop)."
        case .storage(let reason): "The enclave cannot write or read its state: \(reason.withoutFullStop)."
        case .malformed(let reason): "The enclave did not understand the message: \(reason.withoutFullStop)."
        }
    }

    package static func advice(_ refusal: EnclaveRefusal) -> String {
        switch refusal {
        case .wrongPasscode, .sameWrongPasscode: "Try another one, with care."
        case .delayed: "Wait."
        case .disabled: "Erase the device (latchkey erase); its items are lost."
        case .erased: "Start anew, or restore a backup."
        case .passcodeNeeded: "Give the passcode."
        case .passcodeAlreadySet: "Change it: latchkey passcode change."
        case .noPasscodeSet: "Set one: latchkey passcode set."
        case .badPasscode: "Choose another passcode."
        case .storage: "Fix what the reason names, then try again; nothing was lost."
        case .malformed: "Use programs of one version for daemon and enclave."
        }
    }
}
