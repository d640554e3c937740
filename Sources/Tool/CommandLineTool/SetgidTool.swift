package import ArgumentParser
import LatchkeyDevice

/// The rules for a tool that is installed setgid, as an agent of assurance level A.
///
/// Every program of the user can start it, and its group opens doors that theirs does not. So it shows prompts of the
/// user's device of the system installation, and nothing else: as the owner's tool it would lend the level to every
/// caller.
package enum SetgidTool {
    /// The reason why the command is not run; nil if it may be.
    package static func refusal(
        of command: any ParsableCommand, isSetgid: Bool = DeviceLocation.thisProcessIsSetgid
    ) -> CommandFailure? {
        guard isSetgid else { return nil }
        guard let agent = command as? AgentCommand else {
            return CommandFailure(
                .usage, "This latchkey is installed setgid and only shows prompts.",
                why: "Any program that starts it would otherwise act with the assurance level of its file.",
                advice: "`latchkey agent` shows prompts; for everything else use the latchkey that is not setgid.")
        }
        guard agent.common.device == nil else {
            return CommandFailure(
                .usage, "A setgid agent serves the system's device of its user alone.",
                why: "Any program that starts it could otherwise have it show the prompts of a false device.",
                advice: "Leave --device out.")
        }
        return nil
    }
}
