import Foundation
import Glibc
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

@Suite("A program is the file that runs, whatever its path says")
struct PathAttackTests {
    @Test("a program that is deleted or replaced while it runs stays what it is, and what replaces it is another")
    func replaced() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let signed = try stage.signedProgram("mail")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        for isReplaced in [false, true] {
            let running = try WaitingProgram(signed, ["wait-ask", stage.socket, frame])
            _ = try running.waitUntilReady()
            try FileManager.default.removeItem(atPath: signed)
            if isReplaced { try AttackProgram.copy(to: signed) }
            #expect(try Conversation.outcomes(try running.finish()) == [.found(in: stage.group)])
            if isReplaced {
                #expect(try stage.outcome(of: signed, Conversation.find("mail")) == .notFound)
            } else {
                _ = try stage.signedProgram("mail")
            }
        }
        // The other way round: an unsigned program does not become the signed one that takes its place.
        let unsigned = try stage.program("other")
        let running = try WaitingProgram(unsigned, ["wait-ask", stage.socket, frame])
        _ = try running.waitUntilReady()
        try FileManager.default.removeItem(atPath: unsigned)
        try FileManager.default.copyItem(atPath: try stage.signedProgram("third"), toPath: unsigned)
        #expect(try Conversation.outcomes(try running.finish()) == [.notFound])
    }

    @Test(
        "in a mount namespace of its own a program cannot take another program's path",
        .needsRoot(to: "mount in a namespace"))
    func mountNamespace() throws {
        let stage = try AttackStage()
        let victim = try stage.program("victim")
        let attacker = try stage.program("attacker")
        #expect(try stage.outcome(of: victim, Conversation.add("mail")) == .stored)
        let find = try stage.frame(Conversation.find("mail"), named: "find")
        let add = try stage.frame(Conversation.add("mail"), named: "add")
        func disguised(_ program: String, _ frame: String) throws -> Conversation.Outcome {
            let ending = try run(URL(filePath: attacker), ["disguise", program, victim, "ask", stage.socket, frame])
            return try stage.only(try Conversation.outcomes(ending.output), ending.errors)
        }
        #expect(try disguised(attacker, find) == .notFound)
        #expect(try disguised(attacker, add) == .stored)
        guard case .answered(.success, nil, let group?) = try disguised(attacker, find) else {
            Issue.record("it does not find its own item")
            return
        }
        #expect(group.hasPrefix("unsigned.elsewhere.victim."))
        // The victim itself in another namespace, as in a sandbox, is still the victim.
        guard case .answered(.success, nil, let own?) = try disguised(victim, find) else {
            Issue.record("the victim does not find its item")
            return
        }
        #expect(own.hasPrefix("unsigned.victim."))
    }

    @Test(
        "a program on a mount that was taken off its place does not get the path that is left of it",
        .needsRoot(to: "mount in a namespace"))
    func detachedMount() throws {
        let stage = try AttackStage()
        let victim = try stage.program("victim")
        #expect(try stage.outcome(of: victim, Conversation.add("mail")) == .stored)
        let place = stage.programs + "/mount"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try #require(mount("none", place, "tmpfs", 0, nil) == 0)
        var isMounted = true
        defer { if isMounted { umount2(place, Int32(MNT_DETACH)) } }
        let disguised = place + victim
        try FileManager.default.createDirectory(
            atPath: (disguised as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try AttackProgram.copy(to: disguised)
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        let running = try WaitingProgram(disguised, ["wait-ask", stage.socket, frame])
        _ = try running.waitUntilReady()
        #expect(umount2(place, Int32(MNT_DETACH)) == 0)
        isMounted = false
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(running.processIdentifier)/exe")
        try #require(link == victim, "the kernel shows \(link)")
        #expect(try Conversation.outcomes(try running.finish()) == [.notFound])
    }
}
