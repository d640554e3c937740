import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Testing

@Suite("A signature gives a program its groups, and only its own file")
struct SignedProgramTests {
    @Test("a signed program has the groups of its entitlements; an update and a copy keep the items")
    func groups() throws {
        let stage = try AttackStage()
        let program = try stage.signedProgram("mail")
        #expect(try stage.outcome(of: program, Conversation.add("mail")) == .stored)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .found(in: stage.group))
        let copy = stage.programs + "/copy"
        try FileManager.default.copyItem(atPath: program, toPath: copy)
        try AttackProgram.waitUntilStartable(copy)
        #expect(try stage.outcome(of: copy, Conversation.find("mail")) == .found(in: stage.group))
        // The update: other bytes, signed again under the same name.
        try AttackProgram.changeByte(of: program)
        try AttackProgram.sign(program, by: stage.key)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .found(in: stage.group))
        let seen = try #require(try stage.applications().first { $0.application.hasSuffix(".victim") })
        #expect(seen.level == .b)
        #expect(seen.team == stage.key.publicKey.identifier)
        #expect(seen.accessGroups.first == stage.group)
        #expect(seen.digest.count == 32)
    }

    @Test("an unsigned program has a group to itself; its copy elsewhere has another")
    func unsigned() throws {
        let stage = try AttackStage()
        let program = try stage.program("mail")
        #expect(try stage.outcome(of: program, Conversation.add("mail")) == .stored)
        let copy = stage.programs + "/copy"
        try FileManager.default.copyItem(atPath: program, toPath: copy)
        try AttackProgram.waitUntilStartable(copy)
        #expect(try stage.outcome(of: copy, Conversation.find("mail")) == .notFound)
        guard case .answered(.success, nil, let group?) = try stage.outcome(of: program, Conversation.find("mail"))
        else {
            Issue.record("the program does not find its own item")
            return
        }
        #expect(group.hasPrefix("unsigned.mail."))
    }

    @Test("a program of which one byte was changed has no groups, not even that of an unsigned one")
    func changed() throws {
        let stage = try AttackStage()
        let program = try stage.signedProgram("mail")
        #expect(try stage.outcome(of: program, Conversation.add("mail")) == .stored)
        try AttackProgram.changeByte(of: program)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .noGroups(.signatureWrongDigest))
        #expect(try stage.outcome(of: program, Conversation.add("mail")) == .noGroups(.signatureWrongDigest))
    }

    @Test("signed again by another team, a program does not get the first team's items")
    func otherTeam() throws {
        let stage = try AttackStage()
        let program = try stage.signedProgram("mail")
        #expect(try stage.outcome(of: program, Conversation.add("mail")) == .stored)
        let other = TeamKey.generate()
        try AttackProgram.sign(program, by: other)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .noGroups(.teamNotTrusted))
        try stage.trust(other)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .notFound)
        try AttackProgram.sign(program, by: stage.key)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .found(in: stage.group))
    }

    @Test("a connection that is open loses its groups when the team is revoked, and gets them back with the trust")
    func revokedMeanwhile() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let program = try stage.signedProgram("mail")
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        for isRevoked in [true, false] {
            let running = try WaitingProgram(program, ["ask-twice", stage.socket, frame])
            let before = try Conversation.outcomes(try running.waitUntilReady())
            try stage.ask(RevokeTeam(stage.key.publicKey.identifier, passcode: nil))
            if !isRevoked { try stage.trust(stage.key) }
            let after = try Conversation.outcomes(try running.finish())
            #expect(before == [.found(in: stage.group)])
            #expect(after == [isRevoked ? .noGroups(.teamRevoked) : .found(in: stage.group)])
            try stage.trust(stage.key)
        }
    }

    @Test("an interpreter has no groups, however well it is signed")
    func interpreter() throws {
        let stage = try AttackStage()
        let program = try stage.signedProgram("python3.12")
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .noGroups(.signatureInterpreter))
    }

    @Test("a program that asks for level A has nothing at level B")
    func levelTooLow() throws {
        let stage = try AttackStage()
        let program = try stage.program("mail")
        try AttackProgram.sign(program, by: stage.key, minimumLevel: .a)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .noGroups(.assuranceLevelTooLow))
        try AttackProgram.sign(program, by: stage.key, minimumLevel: .b)
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .notFound)
    }

    @Test("a signature beside the program counts like one in it, and a program with two that differ has nothing")
    func detached() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let program = try stage.program("mail")
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .notFound)
        let signature = try AttackProgram.signature(for: program, by: stage.key)
        let directory = stage.device.directory + "/signatures"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let digits = signature.statement.digest.map { String(format: "%02x", $0) }.joined()
        try Data(signature.encoded()).write(to: URL(filePath: "\(directory)/\(digits).lksig"))
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .found(in: stage.group))
        try AttackProgram.sign(program, by: stage.key, named: "other")
        #expect(try stage.outcome(of: program, Conversation.find("mail")) == .noGroups(.signatureTwo))
    }
}
