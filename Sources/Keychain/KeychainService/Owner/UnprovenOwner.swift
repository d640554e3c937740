import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The programs that may change a device while it has no passcode, when no program can prove to be the owner's.
package enum UnprovenOwner: Sendable {
    /// Every program that may connect: such a program could change the device's files as well.
    case anyProgram
    /// Only root: the owner's programs cannot access the files.
    /// - Parameter tool: the command by which root calls the command line tool for this device.
    case root(tool: String)

    func includes(_ caller: Caller) -> Bool {
        switch self {
        case .anyProgram: true
        case .root: caller.isRoot
        }
    }
}

extension Caller {
    /// True if the program runs as root, according to the kernel.
    var isRoot: Bool { process?.userID == 0 }
}

extension KeychainService {
    /// Returns the reason why the caller may not perform an act now that only the owner may perform; nil if it may, or
    /// if the passcode decides.
    func unprovenOwnerRefusal(of question: some DeviceQuestion, _ caller: Caller) -> Refusal? {
        guard case .root(let tool) = unprovenOwner, !caller.isRoot else { return nil }
        // If the enclave does not answer, the enclave's own refusal ends the request.
        guard let status = try? enclave.ask(AskStatus()), !status.hasPasscode else { return nil }
        let refusal = Refusal(
            rule: .ownerNeedsRoot,
            reason: "This device has no passcode yet, so every program of its owner could do this in the owner's name. "
                + "Until one is set, it is root's.",
            advice: "As root: \(tool) passcode set. From then on the passcode decides.")
        records.explain(question.outcome(.authFailed, refusal), withLockState: false, to: caller)
        return refusal
    }
}
