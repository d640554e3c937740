package import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The device's owner acting in another program's group: with the passcode, each time, on record.
extension KeychainService {
    func ownersCaller(_ owner: OwnerAuthority, _ request: ItemRequest, _ caller: Caller) throws -> Caller {
        switch enclave.perform(.verifyPasscode(owner.passcode)) {
        case .done:
            break
        case .refused(.noPasscodeSet):
            throw CallFailure(
                .authFailed, "owner-needs-passcode",
                "Another program's group opens only with the device's passcode, and none is set.",
                advice: "Set one first: latchkey passcode set.")
        case .refused(let refusal):
            noticeErase(refusal)
            throw CallFailure(
                .authFailed, "owner-passcode-refused", PasscodeWords.reason(refusal),
                advice: PasscodeWords.advice(refusal))
        default:
            throw CallFailure.enclave(.malformed(reason: "another answer to a passcode"))
        }
        journal.append(
            RefusalRecord(
                time: clock.wallTime(), caller: caller.name, application: caller.application, level: caller.level,
                operation: request.operation.name, itemClass: request.named("class"), accessGroup: owner.accessGroup,
                lockState: "", code: .success,
                refusal: Refusal(
                    rule: "owner-access", reason: "The owner acted in another program's group with the passcode.",
                    advice: "Nothing to do; change the passcode if this was not you.")))
        return Caller(
            name: caller.name, accessGroups: [owner.accessGroup], application: caller.application, level: caller.level,
            process: caller.process)
    }
}

/// The enclave's refusals in words.
package enum PasscodeWords {
    package static func reason(_ refusal: EnclaveRefusal) -> String {
        switch refusal {
        case .wrongPasscode(let left): "The passcode is wrong; \(left) tries are left."
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
        case .storage: "Mend what the reason names, then try again; nothing was lost."
        case .malformed: "Use programs of one version for daemon and enclave."
        }
    }
}
