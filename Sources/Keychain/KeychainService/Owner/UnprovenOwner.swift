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
    /// Why the caller may not change the device now, with something that is the owner's alone; nil if it may, or if the
    /// passcode decides.
    func unprovenOwnerRefusal(of operation: String, _ subject: String, _ caller: Caller) -> Refusal? {
        guard case .root(let tool) = unprovenOwner, !caller.isRoot else { return nil }
        // An enclave that does not answer refuses the request itself.
        guard let status = try? enclave.ask(AskStatus()), !status.hasPasscode else { return nil }
        let refusal = Refusal(
            rule: .ownerNeedsRoot,
            reason: "This device has no passcode yet, so every program of its owner could do this in the owner's name. "
                + "Until one is set, it is root's.",
            advice: "As root: \(tool) passcode set. From then on the passcode decides.")
        record(.authFailed, refusal, of: operation, accessGroup: subject, by: caller)
        return refusal
    }
}
