import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Who may change a device while it has no passcode, so that nothing proves who its owner is.
package enum UnprovenOwner: Sendable {
    /// Every program that may connect: those that do could change the device's files as well.
    case anyProgram
    /// Root alone: the owner's programs cannot reach the files.
    /// - Parameter tool: how root calls the command line tool for this device.
    case root(tool: String)

    func includes(_ caller: Caller) -> Bool {
        switch self {
        case .anyProgram: true
        case .root: caller.isRoot
        }
    }
}

extension KeychainService {
    /// Why the caller may not change the device now; nil if it may, or if the passcode decides.
    func unprovenOwnerRefusal(_ request: DeviceRequest, _ caller: Caller) -> Refusal? {
        guard case .root(let tool) = unprovenOwner, !caller.isRoot, request.isOwnersAlone else { return nil }
        // An enclave that does not answer refuses the request itself.
        guard let status = try? enclave.ask(AskStatus()), !status.hasPasscode else { return nil }
        let refusal = Refusal(
            rule: .ownerNeedsRoot,
            reason: "This device has no passcode yet, so every program of its owner could do this in the owner's name. "
                + "Until one is set, it is root's.",
            advice: "As root: \(tool) passcode set. From then on the passcode decides.")
        record(
            .authFailed, refusal, of: request.auditedSubject?.operation ?? "",
            accessGroup: request.auditedSubject?.name ?? "", by: caller)
        return refusal
    }
}

extension DeviceRequest {
    /// Whether the passcode may come or go with it, or whether it is allowed by the lack of one. One such request at a
    /// time: from the look at the passcode to the act nothing of this kind may change.
    var dependsOnPasscode: Bool {
        switch self {
        case .changePasscode, .removePasscode, .adopt: true
        default: isOwnersAlone
        }
    }

    /// Whether it changes what the device is, whom it trusts or whom it serves: what a passcode guards once it is set, and
    /// setting the first one.
    var isOwnersAlone: Bool {
        switch self {
        case .setPasscode, .erase, .configure, .trustTeam, .revokeTeam, .forgetApplication, .configureApplications,
            .requireLevel, .revokeTools:
            true
        // What needs the passcode in any case is refused by the enclave.
        case .changePasscode, .removePasscode, .unlock, .lock, .biometry: false
        // A program becomes the owner's tool with the passcode alone.
        case .adopt: false
        case .status, .refusals, .teams, .applications, .ownersTool, .endings, .endedItems, .passcodeCost: false
        }
    }
}
