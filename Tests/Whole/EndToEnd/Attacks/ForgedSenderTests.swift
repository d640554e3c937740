import Foundation
import Glibc
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

private enum UserNamespaces {
    static let areThere: Bool = {
        let path = "/proc/sys/user/max_user_namespaces"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "0"
        return (Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 0
    }()
}

/// The kernel lets the ruler of a pid namespace name any process of it as the sender of a message, and every user may
/// make a user namespace and rule a pid namespace in it.
@Suite(
    "The ruler of a pid namespace speaks for no program of it",
    .enabled(if: UserNamespaces.areThere, "this kernel gives no user namespaces, so it cannot be tried"))
struct ForgedSenderTests {
    @Test(
        "an unprivileged program that hands its connection to a signed one, and speaks in its name, gets no groups",
        .needsRoot(to: "run programs of another user and setgid ones"))
    func daemon() throws {
        let stage = try ProtectedStage()
        let victim = try stage.program("bank", isProtected: false)
        let attacker = try stage.unsignedProgram("attacker")
        let add = try stage.frame("add", Conversation.add("mail"))
        let find = try stage.frame("find", Conversation.find("mail"))
        #expect(try Conversation.outcomes(try stage.run(victim, ["ask", stage.socket, add]).output) == [.stored])
        let running = try stage.whileDaemonStands {
            let running = try stage.waiting(attacker, ["forge", stage.socket, find, victim, "rest"])
            _ = try running.waitUntilReady()
            return running
        }
        #expect(try Conversation.outcomes(try running.finish()) == [.noGroups(.otherPIDNamespace)])
        // The program itself is served.
        #expect(
            try Conversation.outcomes(try stage.run(victim, ["ask", stage.socket, find]).output)
                == [.found(in: stage.group)])
    }

    @Test(
        "nor does it get the group of an unsigned program",
        .needsRoot(to: "run programs of another user and setgid ones"))
    func unsigned() throws {
        let stage = try ProtectedStage()
        let victim = try stage.unsignedProgram("script")
        let attacker = try stage.unsignedProgram("attacker")
        let add = try stage.frame("add", Conversation.add("mail"))
        let find = try stage.frame("find", Conversation.find("mail"))
        #expect(try Conversation.outcomes(try stage.run(victim, ["ask", stage.socket, add]).output) == [.stored])
        let running = try stage.whileDaemonStands {
            let running = try stage.waiting(attacker, ["forge", stage.socket, find, victim, "rest"])
            _ = try running.waitUntilReady()
            return running
        }
        #expect(try Conversation.outcomes(try running.finish()) == [.notFound])
    }

    @Test(
        "the enclave does not take it for its daemon",
        .enabled(if: Installation.isInReach, "root cannot enter this home in a user namespace: clone elsewhere"))
    func enclave() throws {
        let stage = try AttackStage()
        let attacker = try stage.program("attacker")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        let socket = stage.device.directory + "/run/enclave.sock"
        let daemon = [try Installation.program("latchkeyd").path, "--device", "/nonexistent"]
        let running = try StandingProcess.run(try stage.device.processIdentifier("latchkey-enclave")) {
            let running = try WaitingProgram(attacker, ["forge", socket, frame] + daemon)
            _ = try running.waitUntilReady()
            return running
        }
        #expect(try Conversation.outcomes(try running.finish()) == [.sentAway("peer-not-allowed")])
    }
}
