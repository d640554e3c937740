package import LatchkeyDevice
package import LatchkeyEnclaveContract
package import LatchkeyItemModel
package import LatchkeyKeychainMessages

/// The failure of a command: what happened, why, and what to do. Never holds a secret.
package struct CommandFailure: Error, Sendable, Equatable {
    package let status: ExitReason
    package let what: String
    package let why: String?
    package let advice: String?
    /// The result code of the keychain, where it was the keychain that refused.
    package let code: ResultCode?

    package init(
        _ status: ExitReason, _ what: String, why: String? = nil, advice: String? = nil, code: ResultCode? = nil
    ) {
        self.status = status
        self.what = what
        self.why = why
        self.advice = advice
        self.code = code
    }
}

extension CommandFailure {
    /// A reply of the keychain that is not a success.
    package init(_ reply: ItemReply) {
        if reply.refusal?.rule == .daemonUnreachable {
            self = .daemonUnreachable(why: reply.refusal?.reason)
            return
        }
        let status: ExitReason =
            switch reply.code {
            case .itemNotFound: .itemNotFound
            case .duplicateItem: .duplicateItem
            case .interactionNotAllowed: .locked
            case .authFailed: .authenticationFailed
            case ResultCode(rawValue: -128): .cancelled
            case .missingEntitlement: .accessGroupRefused
            default: .keychainRefused
            }
        self.init(
            status, ErrorTable.message(for: reply.code), why: reply.refusal?.reason,
            advice: reply.refusal?.advice ?? Self.advice(for: reply.code), code: reply.code)
    }

    /// A request about teams or apps that a rule of the keychain refuses.
    package init(_ code: ResultCode, _ refusal: Refusal) {
        let what: String
        let status: ExitReason
        switch refusal.rule {
        case .teamOtherKey: (status, what) = (.teamKeyDiffers, "The team is not trusted.")
        case .teamAliasTaken: (status, what) = (.teamAliasTaken, "Nothing was changed.")
        case .teamNotKnown, .teamAliasNotKnown, .appNotKnown: (status, what) = (.notRegistered, "Nothing was changed.")
        case .ownerNeedsRoot:
            (status, what) = (.authenticationFailed, "Nothing was changed.")
        case let rule? where rule.part == .sync: (status, what) = Self.sync(rule)
        case _ where code == .missingEntitlement:
            (status, what) = (.accessGroupRefused, "The device does not show this to this program.")
        default: (status, what) = (.keychainRefused, "The keychain refused the request.")
        }
        self.init(
            status, what, why: refusal.reason, advice: refusal.advice,
            code: [.keychainRefused, .accessGroupRefused, .authenticationFailed].contains(status) ? code : nil)
    }

    private static func sync(_ rule: Rule) -> (ExitReason, String) {
        switch rule {
        case .syncAlreadyMember: (.alreadyInCircle, "Nothing was changed.")
        case .syncCodeWrong: (.codeWrong, "The code was not accepted.")
        case .syncRemoved, .syncAdmissionVoid, .syncNoRequest: (.notApproved, "The circle does not allow it.")
        case .syncStoreUnreachable, .syncStoreOther, .syncBusy: (.storeUnreachable, "The store cannot be used.")
        case .syncStoreRefused, .syncStoreHoldsDevice: (.storeRefused, "The store cannot be used.")
        case .syncIdentityDuplicated: (.identityDuplicated, "Nothing was changed.")
        case .syncCircleDamaged: (.circleDamaged, "The circle cannot be used.")
        case .syncNotAMember: (.notInCircle, "Nothing was changed.")
        case .syncNeedsUnlock: (.locked, "Nothing was changed.")
        case .syncNeedsPasscode: (.noPasscodeSet, "Nothing was changed.")
        case .syncUnknownDevice, .syncNoConflict: (.notRegistered, "Nothing was changed.")
        default: (.keychainRefused, "Nothing was changed.")
        }
    }

    /// The device is behind a daemon that does not answer.
    package static func daemonUnreachable(why: String?) -> CommandFailure {
        CommandFailure(
            .deviceUnreachable, "The device's daemon does not answer.", why: why,
            advice: "`latchkey start` starts it, or LATCHKEY_DEVICE names another device.")
    }

    /// Advice for codes that the keychain does not explain.
    private static func advice(for code: ResultCode) -> String? {
        switch code {
        case .itemNotFound:
            "`latchkey dump-keychain` shows what there is; items of other programs need --access-group."
        case .duplicateItem: "-U replaces it; `latchkey item update` changes parts of it."
        default: nil
        }
    }

    package init(_ failure: DeviceFailure) {
        let status: ExitReason =
            switch failure.code {
            case .badLocation, .unreachable: .deviceUnreachable
            case .inUse: .deviceInUse
            case .unsafePermissions: .unsafePermissions
            case .storage: .deviceStorage
            case .damaged: .deviceDamaged
            }
        self.init(status, failure.description)
    }

    package init(_ refusal: EnclaveRefusal) {
        switch refusal {
        case .wrongPasscode(let attemptsLeft):
            self.init(
                .wrongPasscode, "This is not the passcode.", why: "The enclave could not open the class keys with it.",
                advice: attemptsLeft == 1
                    ? "One try is left." : "\(attemptsLeft) tries are left.")
        case .sameWrongPasscode:
            self.init(
                .wrongPasscode, "This is not the passcode.",
                why: "It is the same wrong passcode as before, so the try was not counted again.")
        case .delayed(let seconds):
            self.init(
                .attemptsDelayed, "No passcode is accepted now.", why: "There were too many wrong ones in a row.",
                advice: "Try again in \(Self.waitingTime(seconds)).")
        case .disabled:
            self.init(
                .deviceDisabled, "The device is disabled.", why: "Ten wrong passcodes were given in a row.",
                advice: "`latchkey erase` forgets every item and makes the device usable again.")
        case .erased:
            self.init(
                .deviceErased, "The device has been erased.",
                why: "This was the tenth wrong passcode and the device is set to erase itself then.")
        case .passcodeNeeded:
            self.init(
                .passcodeNeeded, "The device passcode is needed for this.", why: "A passcode is set.",
                advice: "Give it at the prompt, on standard input, or with `--passcode-fd`.")
        case .passcodeAlreadySet:
            self.init(
                .passcodeAlreadySet, "A passcode is set already.", advice: "`latchkey passcode change` changes it.")
        case .noPasscodeSet:
            self.init(
                .noPasscodeSet, "No passcode is set.", why: "A device without a passcode cannot be locked.",
                advice: "`latchkey passcode set` sets one.")
        case .badPasscode(let reason):
            self.init(.passcodeUnusable, "The passcode cannot be used.", why: reason, advice: "Choose another one.")
        case .storage(let reason):
            self.init(
                .deviceStorage, "The enclave cannot read or write its state.", why: reason,
                advice: "Make room on the disk or fix the permissions, then try again.")
        case .malformed(let reason):
            self.init(.failure, "The enclave did not understand the request.", why: reason)
        }
    }

    private static func waitingTime(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        return whole < 120 ? "\(whole) s" : "\((whole + 59) / 60) minutes"
    }
}
