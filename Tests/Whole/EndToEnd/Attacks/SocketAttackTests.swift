import Foundation
import LatchkeyTestSupport
import Testing

@Suite("A connection belongs to the process that made it")
struct SocketAttackTests {
    @Test(
        "a process that connects, becomes a trusted program and leaves the socket to a child gets nothing",
        arguments: [("hand-off", "wrong-sender"), ("hand-off-queued", "wrong-nonce")])
    func handOff(mode: String, word: String) throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let attacker = try stage.program("attacker")
        let trusted = try stage.signedProgram("trusted")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        // The daemon sees the connection only when the process that made it is the trusted program.
        let running = try stage.whileDaemonStands {
            let running = try WaitingProgram(attacker, [mode, stage.socket, frame, trusted])
            _ = try running.waitUntilReady()
            return running
        }
        #expect(try stage.only(try Conversation.outcomes(try running.finish())) == .sentAway(word))
        // The trusted program itself is served.
        #expect(try stage.outcome(of: trusted, Conversation.find("mail")) == .found(in: stage.group))
    }

    @Test(
        "a connection that a trusted program left or passed to another program is ended at the first message",
        arguments: ["inherit", "pass"])
    func givenAway(mode: String) throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let trusted = try stage.signedProgram("trusted")
        let other = try stage.program("other")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        let ending = try run(URL(filePath: trusted), [mode, stage.socket, frame, other])
        #expect(try stage.only(try Conversation.outcomes(ending.output), ending.errors) == .sentAway("wrong-sender"))
    }

    @Test(
        "a process that connects, ends and has a trusted program started under its number gets nothing",
        .needsRoot(to: "choose the number of a process"))
    func numberReused() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let attacker = try stage.program("attacker")
        let trusted = try stage.signedProgram("trusted")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        let running = try stage.whileDaemonStands {
            let running = try WaitingProgram(attacker, ["reuse", stage.socket, frame, trusted])
            _ = try running.waitUntilReady()
            return running
        }
        // A kernel that hands out the peer itself says that it has ended; any other gives its number away, and the message
        // then comes from another process. Both end the handshake before a request is looked at.
        let outcome = try stage.only(try Conversation.outcomes(try running.finish()))
        #expect([.sentAway("peer-unidentified"), .sentAway("wrong-sender")].contains(outcome))
    }
}
