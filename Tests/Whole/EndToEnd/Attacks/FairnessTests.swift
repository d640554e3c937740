import Foundation
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

@Suite(
    "No program shuts the others out by its connections", .needsRoot(to: "run programs of another user and setgid ones")
)
struct FairnessTests {
    @Test("each has a share, and no other program takes the share that is kept for level A and root")
    func shares() throws {
        let stage = try ProtectedStage()
        let find = try stage.frame("find", Conversation.find("mail"))
        let own = try stage.unsignedProgram("own")
        let vault = try stage.program("vault", isProtected: true)
        func ask(_ program: String) throws -> [Conversation.Outcome] {
            try Conversation.outcomes(try stage.run(program, ["ask", stage.socket, find]).output)
        }
        var hoarders: [WaitingProgram] = []
        for (number, share) in [128, 128, 128, 64].enumerated() {
            let hoarder = try stage.waiting(try stage.unsignedProgram("hoarder-\(number)"), ["hoard", stage.socket])
            #expect(try hoarder.waitUntilReady() == "\(share)\nready\n")
            hoarders.append(hoarder)
            if number == 0 { #expect(try ask(own) == [.notFound]) }
        }
        #expect(try ask(own) == [.sentAway("too-many-connections")])
        #expect(try ask(vault) == [.notFound])
        try stage.ask(DescribeDevice())
        _ = try hoarders.removeLast().finish()
    }
}
