import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

@Suite(
    "Level A stops other software of the same user, level B does not",
    .needsRoot(to: "run programs of another user and setgid ones"))
struct AssuranceLevelAttackTests {
    @Test("a signed setgid program has level A, and what asks for level A is served then only")
    func levels() throws {
        let stage = try ProtectedStage()
        let find = try stage.frame("find", Conversation.find("mail"))
        for (isProtected, outcome) in [
            (true, Conversation.Outcome.notFound), (false, .noGroups(.assuranceLevelTooLow)),
        ] {
            let program = try stage.program("program-\(isProtected)", isProtected: isProtected, minimumLevel: .a)
            let ending = try stage.run(program, ["ask", stage.socket, find])
            #expect(try Conversation.outcomes(ending.output) == [outcome], "\(ending.errors)")
        }
    }

    @Test(
        "a library loaded into a program speaks in its name at level B, and is not loaded at level A",
        arguments: [false, true])
    func preload(isProtected: Bool) throws {
        let stage = try ProtectedStage()
        let program = try stage.program("program", isProtected: isProtected)
        let add = try stage.frame("add", Conversation.add("mail"))
        let find = try stage.frame("find", Conversation.find("mail"))
        #expect(try Conversation.outcomes(try stage.run(program, ["ask", stage.socket, add]).output) == [.stored])
        let ending = try stage.run(
            program, ["unknown"],
            environment: [
                "LATER_PRELOAD": try AttackProgram.library(), "STOLEN_SOCKET": stage.socket, "STOLEN_REQUEST": find,
            ])
        #expect(ending.output.contains("preloaded") == !isProtected)
        // Where it was not loaded the program itself ran, and knows no such mode.
        #expect(ending.status == (isProtected ? 98 : 0))
        #expect(try Conversation.outcomes(ending.output) == (isProtected ? [] : [.found(in: stage.group)]))
    }

    @Test("a program of the same user can look into a program of level B, and not into one of level A")
    func trace() throws {
        let stage = try ProtectedStage()
        let tracer = stage.launcher
        let victim = try stage.resting(try stage.program("protected", isProtected: true))
        let refused = try stage.run(tracer, ["trace", "\(victim)"])
        #expect(refused.output == "memory refused, environment refused, trace refused\n")
        let open = try stage.resting(try stage.program("open", isProtected: false))
        let seen = try stage.run(tracer, ["trace", "\(open)"])
        // Some kernels let parents alone trace (Yama); the memory then stays closed at level B, too.
        let yama = (try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)) ?? "0"
        let isOpen = yama.hasPrefix("0")
        #expect(
            seen.output
                == "memory \(isOpen ? "open" : "refused"), environment open, trace \(isOpen ? "open" : "refused")\n")
    }

    @Test(
        "a program that others can write, or of another owner or group, has level B",
        arguments: ["writable", "other owner", "other group"])
    func spoiled(how: String) throws {
        let stage = try ProtectedStage()
        let program = try stage.program("program", isProtected: true, minimumLevel: .a)
        switch how {
        case "writable": try #require(chmod(program, 0o2775) == 0)
        case "other owner":
            try #require(chown(program, ProtectedStage.user, ProtectedStage.trustedGroup) == 0)
            try #require(chmod(program, 0o2755) == 0)
        default:
            try #require(chown(program, 0, ProtectedStage.user) == 0 && chmod(program, 0o2755) == 0)
        }
        let find = try stage.frame("find", Conversation.find("mail"))
        let ending = try stage.run(program, ["ask", stage.socket, find])
        #expect(try Conversation.outcomes(ending.output) == [.noGroups(.assuranceLevelTooLow)])
    }
}
