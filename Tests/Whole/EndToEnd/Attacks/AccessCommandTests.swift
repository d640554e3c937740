import Foundation
import LatchkeyCodeSignature
import Testing

@Suite("latchkey access says what a program gets, and why")
struct AccessCommandTests {
    @Test("the tool and the daemon say the same of signed, unsigned and changed programs")
    func test() throws {
        let stage = try AttackStage()
        let signed = try stage.signedProgram("mail")
        let found = try stage.device(["access", "test", signed, "--json"])
        #expect(found.status == 0, "\(found.errors)")
        let json = try found.json()
        let team = stage.key.publicKey.identifier.text
        #expect(json["app"] as? String == team + ".victim")
        #expect(json["team"] as? String == team)
        #expect(json["level"] as? String == "B")
        #expect((json["accessGroups"] as? [String])?.first == stage.group)
        #expect((json["digest"] as? String)?.count == 64)
        #expect((json["why"] as? String)?.contains("not setgid") == true)

        let unsigned = try stage.program("plain")
        let plain = try stage.device(["access", "test", unsigned, "--json"]).json()
        #expect(plain["level"] as? String == "C")
        #expect(try stage.outcome(of: unsigned, Conversation.add("x")) == .stored)
        let groups = try #require(plain["accessGroups"] as? [String])
        #expect(try stage.outcome(of: unsigned, Conversation.find("x")) == .found(in: try #require(groups.first)))

        try AttackProgram.changeByte(of: signed)
        let changed = try stage.device(["access", "test", signed, "--json"])
        #expect(changed.status == 41)
        #expect(try changed.json()["rule"] as? String == "signature-wrong-digest")
        #expect(try changed.json()["accessGroups"] as? [String] == [])
    }

    @Test("a script is judged by what runs, and a path without a file is reported")
    func others() throws {
        let stage = try AttackStage()
        let script = stage.programs + "/script"
        try Data("#! /bin/sh -e\ntrue\n".utf8).write(to: URL(filePath: script))
        let shell = try stage.device(["access", "test", script, "--json"]).json()
        #expect(shell["script"] as? String == script)
        #expect((shell["program"] as? String)?.hasSuffix("sh") == true)
        #expect(shell["level"] as? String == "C")
        #expect(try stage.device(["access", "test", stage.programs]).status == 32)
        #expect(try stage.device(["access", "test", stage.programs + "/none"]).status == 32)
    }

    @Test("the list has the programs that connected")
    func list() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let text = try stage.device("access list").output
        #expect(text.hasPrefix("Owner's tool\n     org.latchkey.owner  "), "\(text)")
        #expect(text.contains("B  \(stage.key.publicKey.identifier).victim"))
        #expect(text.contains(stage.group))
    }

    @Test("it explains which group has a password of a service, and which rule keeps a program from one")
    func explain() throws {
        let stage = try AttackStage()
        try stage.storeSecret()
        let signed = try stage.signedProgram("mail")
        let unsigned = try stage.program("plain")
        #expect(
            try stage.device(["access", "explain", signed, "mail"]).status != 0,
            "without a passcode no program may look")
        try #require(try stage.device("passcode set", input: "246810\n").status == 0)
        func explained(_ program: String, _ service: String) throws -> [String: Any] {
            try stage.device(["access", "explain", program, service, "--json"], input: "246810\n").json()
        }
        let seen = try explained(signed, "mail")
        #expect((seen["found"] as? [[String: String]])?.map { $0["accessGroup"] } == [stage.group])
        #expect(seen["decides"] as? String == "access group")
        #expect(seen["otherGroups"] as? [String] == [])
        let unseen = try explained(unsigned, "mail")
        #expect((unseen["found"] as? [[String: String]])?.isEmpty == true)
        #expect(unseen["otherGroups"] as? [String] == [stage.group])
        #expect(unseen["decides"] as? String == "access group")
        #expect(try explained(signed, "other")["decides"] as? String == "no such item")
        try AttackProgram.changeByte(of: signed)
        #expect(try explained(signed, "mail")["decides"] as? String == "signature-wrong-digest")
        let wrong = try stage.device(["access", "explain", signed, "mail"], input: "999999\n")
        #expect(wrong.status == 51)
    }
}
