import Foundation
import LatchkeyTestSupport
import Testing

/// A program that has the prefix of an Apple team in its source.
@Suite("A prefix of groups in a program's source")
struct TeamAliasTests {
    private static let alias = "A1B2C3D4E5"
    private static let group = alias + ".com.example.shared"

    private func entitlements(_ bench: SigningProgram, groups: [String]) throws -> String {
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["keychain-access-groups": groups], format: .xml, options: 0)
        return try bench.write(String(decoding: list, as: UTF8.self), "\(UUID()).entitlements")
    }

    /// A signed copy of the example, which names the group in each of its calls.
    private func signed(_ bench: SigningProgram, by team: String, _ name: String) throws -> String {
        let program = try bench.program(name)
        let signed = try bench(
            "codesign", "-s", team, "-i", "com.example." + name, "--alias", Self.alias, "--entitlements",
            try entitlements(bench, groups: [Self.group]), program)
        try #require(signed.status == 0, "\(signed.errors)")
        return program
    }

    private func benchWithDevice() throws -> SigningProgram {
        let bench = try SigningProgram()
        let started = try bench("start")
        try #require(started.status == 0, "\(started.errors)")
        return bench
    }

    private func trust(_ bench: SigningProgram, _ team: String) throws {
        let trusted = try bench("team", "trust", bench.path("data/latchkey/teams/\(team).team"))
        try #require(trusted.status == 0, "\(trusted.errors)")
    }

    private func ran(_ bench: SigningProgram, _ program: String) throws -> Ending {
        try run(
            URL(filePath: program), [Self.group],
            environment: ["LATCHKEY_DEVICE": "unix:" + bench.path("device/run/keychain.sock")])
    }

    @Test("a signed program stores and finds an item in its group where the owner gave the prefix to its team alone")
    func life() throws {
        let bench = try benchWithDevice()
        defer { _ = try? bench("stop") }
        let (first, second) = (try bench.team(), try bench.team())
        try trust(bench, first)
        try trust(bench, second)
        let program = try signed(bench, by: first, "mail")
        let other = try signed(bench, by: second, "other")

        let before = try ran(bench, program)
        #expect(before.output.contains("add: -34018"), "\(before.output)\(before.errors)")
        let tested = try bench("access", "test", program, "--json").json()
        #expect(tested["rule"] as? String == "team-alias-not-pinned")
        #expect(tested["accessGroups"] as? [String] == [])

        #expect(try bench("team", "alias", first, Self.alias).status == 0)
        let after = try ran(bench, program)
        #expect(after.status == 0, "\(after.output)\(after.errors)")
        #expect(after.output.contains("find: 0"))
        #expect(after.output.contains("group: \(Self.group)"))
        let listed = try bench("team", "list")
        #expect(listed.output.contains("alias \(Self.alias) since "), "\(listed.output)")

        // The other team has neither the groups nor the prefix.
        #expect(try ran(bench, other).output.contains("add: -34018"))
        #expect(
            try bench("access", "test", other, "--json").json()["rule"] as? String == "team-alias-taken")
        let refused = try bench("team", "alias", second, Self.alias)
        #expect(refused.status == 77, "\(refused.errors)")
        #expect(refused.errors.contains(first))
        #expect(try bench("team", "alias", "--remove", second, Self.alias).status == 46)

        // Taken away, it does not become the other team's.
        #expect(try bench("team", "alias", "--remove", first, Self.alias).status == 0)
        #expect(try ran(bench, program).output.contains("add: -34018"))
        #expect(try bench("team", "alias", second, Self.alias).status == 77)
        #expect(try ran(bench, other).output.contains("add: -34018"))
        #expect(try bench("team", "alias", first, Self.alias).status == 0)
        #expect(try ran(bench, program).status == 0)

        // All of it is on record.
        let audit = try bench("audit", "tail")
        for operation in ["pin-team-alias", "remove-team-alias"] {
            #expect(audit.output.contains(operation), "\(audit.output)\(audit.errors)")
        }
    }

    @Test("without --alias no program is signed into a foreign group, and with it into that one alone")
    func signing() throws {
        let bench = try benchWithDevice()
        defer { _ = try? bench("stop") }
        let team = try bench.team()
        let program = try bench.program()
        let file = try entitlements(bench, groups: [Self.group])
        let refused = try bench("codesign", "-s", team, "-i", "com.example.mail", "--entitlements", file, program)
        #expect(refused.status == 59)
        #expect(refused.errors.contains("--alias \(Self.alias)"), "\(refused.errors)")
        #expect(
            try bench(
                "codesign", "-s", team, "-i", "com.example.mail", "--alias", "B1B2C3D4E5", "--entitlements", file,
                program
            ).status == 59)
        for text in ["A1B2C3D4E", "a1b2c3d4e5", "A1B2C3D4E5.", "*", ""] {
            #expect(
                try bench("codesign", "-s", team, "-i", "com.example.mail", "--alias", text, program).status == 64)
            #expect(try bench("team", "alias", team, text).status == 64)
        }
        #expect(try bench("codesign", "--verify", "--alias", Self.alias, program).status == 64)
        #expect(try bench("team", "alias", team, Self.alias).status == 46, "the device does not know the team")
    }

    @Test("the identifier of a team that the device knows cannot be the prefix of another one")
    func identifiers() throws {
        let bench = try benchWithDevice()
        defer { _ = try? bench("stop") }
        let (first, second) = (try bench.team(), try bench.team())
        try trust(bench, first)
        try trust(bench, second)
        #expect(try bench("team", "alias", first, second).status == 77)
        #expect(try bench("team", "alias", first, first).status == 77)
        let third = try bench.team()
        #expect(try bench("team", "alias", first, third).status == 0)
        let refused = try bench("team", "trust", bench.path("data/latchkey/teams/\(third).team"))
        #expect(refused.status == 77, "\(refused.errors)")
    }
}
