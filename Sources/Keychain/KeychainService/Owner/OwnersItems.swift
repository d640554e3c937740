import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// Requests about the owner's tool, to which the owner's items belong whatever the path of its file is.
extension KeychainService {
    /// The private group of the program that asks for an adoption, if it may become a tool by it; none if it is one.
    func toolsToAdd(for caller: Caller, _ passcode: SecretBox?) throws(Setback) -> [String] {
        if caller.isOwnersTool { return [] }
        // In a container others can speak in a program's name.
        guard caller.application == nil, caller.accessGroups.count == 1,
            let group = PrivateGroup(caller.accessGroups[0]), group.program == OwnersGroup.toolName, !group.isElsewhere
        else { throw .call(.cannotBeTool(caller.name, advice: toolFile.advice)) }
        // Without a passcode every program could say that it is the tool.
        guard passcode != nil, let status = try? enclave.ask(AskStatus()), status.hasPasscode else {
            throw .call(.toolNeedsPasscode(advice: toolFile.advice))
        }
        return caller.accessGroups
    }
}

extension CallFailure {
    fileprivate static func cannotBeTool(_ name: String, advice: String) -> CallFailure {
        CallFailure(
            .authFailed, .notTheOwnersTool,
            "Only a program called latchkey that is not signed for an app can become the owner's tool, not \(name).",
            advice: advice)
    }

    fileprivate static func toolNeedsPasscode(advice: String) -> CallFailure {
        CallFailure(
            .authFailed, .ownerNeedsPasscode,
            "This is another latchkey than the one of the device's daemon. It becomes the owner's tool with the device "
                + "passcode, and none is set.",
            advice: advice + " Or set a passcode: latchkey passcode set.")
    }
}
