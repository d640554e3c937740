import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// Requests about the owner's tool. The owner's items belong to the tool, whatever the path of its file is.
extension KeychainService {
    /// Returns the private group of the program that requests an adoption if it may become a tool; nothing if it is one
    /// already.
    func toolsToAdd(for caller: Caller, _ passcode: SecretBox?) throws(Setback) -> [String] {
        if caller.isOwnersTool { return [] }
        // In a container, other programs can use a program's name.
        guard caller.application == nil, caller.accessGroups.count == 1,
            let group = PrivateGroup(caller.accessGroups[0]), group.program == OwnersGroup.toolName, !group.isElsewhere
        else { throw .call(.cannotBeTool(caller.name, advice: toolFile.advice)) }
        // Without a passcode every program could claim to be the tool.
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
