import Foundation
import Security
import SecurityTesting
import Testing

/// The rights of entitlements (Reference 6.2 and 6.11): the same for an app that a test declares and for a
/// program that a team has signed.
@Suite("Entitlements, declared and signed")
struct SignedEntitlementTests {
    /// TEAM stands for the team identifier in every text.
    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var keychainGroups: [String] = []
        var associated: [String] = []
        var applicationGroups: [String] = []
        var truths: [String] = []
        /// All groups in their order.
        let groups: [String]
        /// The status of an add that names no group, and of one that synchronizes.
        var add: OSStatus = errSecSuccess
        var synchronizable: OSStatus = errSecSuccess
    }

    private static let own = "TEAM.com.example.mail"
    private static let clip = "com.apple.developer.on-demand-install-capable"

    private static let rows = [
        Row(testDescription: "nothing but the application identifier", groups: [own]),
        Row(
            testDescription: "keychain groups come first, in their order",
            keychainGroups: ["TEAM.shared.b", "TEAM.shared.a"], groups: ["TEAM.shared.b", "TEAM.shared.a", own]),
        Row(
            testDescription: "a group that is named twice counts once, at its first place",
            keychainGroups: ["TEAM.shared", own, "TEAM.shared"], groups: ["TEAM.shared", own]),
        Row(
            testDescription: "associated applications come between", keychainGroups: ["TEAM.shared"],
            associated: ["TEAM.com.example.web"], groups: ["TEAM.shared", "TEAM.com.example.web", own]),
        Row(
            testDescription: "application groups come last", keychainGroups: ["TEAM.shared"],
            applicationGroups: ["group.com.example"], groups: ["TEAM.shared", own, "group.com.example"]),
        Row(
            testDescription: "the token group is last, wherever it stands",
            keychainGroups: ["com.apple.token", "TEAM.shared"], applicationGroups: ["group.com.example"],
            groups: ["TEAM.shared", own, "group.com.example", "com.apple.token"]),
        Row(
            testDescription: "a program that is denied the keychain is answered -25291",
            truths: ["com.apple.private.keychain.deny"], groups: [own], add: errSecNotAvailable,
            synchronizable: errSecNotAvailable),
        Row(
            testDescription: "an app clip has its own group, and nothing that synchronizes",
            applicationGroups: ["group.com.example"], truths: [clip], groups: [own],
            synchronizable: errSecRestrictedAPI),
        Row(
            testDescription: "an app clip may have the token group", keychainGroups: ["com.apple.token"],
            truths: [clip], groups: [own, "com.apple.token"], synchronizable: errSecRestrictedAPI),
        Row(
            testDescription: "an app clip with another group is answered -34020", keychainGroups: ["TEAM.shared"],
            truths: [clip], groups: ["TEAM.shared", own], add: errSecRestrictedAPI,
            synchronizable: errSecRestrictedAPI),
        Row(
            testDescription: "Apple's private entitlements and debugging change nothing",
            truths: [
                "get-task-allow", "com.apple.private.security.delete.all", "com.apple.private.keychain.sysbound",
                "com.apple.private.keychain.databasepath", "migrate-keychain", "restore-keychain",
            ], groups: [own]),
    ]

    @Test("a declared app", arguments: rows)
    private func declared(_ row: Row) throws {
        let device = try VirtualDevice()
        let app = device.install(
            "com.example.mail",
            entitlements: Entitlements(
                keychainAccessGroups: row.keychainGroups, associatedApplicationIdentifiers: row.associated,
                applicationIdentifier: Self.own, applicationGroups: row.applicationGroups,
                isDeniedKeychain: row.truths.contains("com.apple.private.keychain.deny"),
                isAppClip: row.truths.contains(Self.clip)))
        #expect(app.accessGroups == row.groups)
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecValueData: Data("secret".utf8),
        ]
        app.run {
            #expect(SecItemAdd(item as CFDictionary, nil) == row.add)
            let synchronizable = item.merging([kSecAttrSynchronizable: true]) { $1 }
            #expect(SecItemAdd(synchronizable as CFDictionary, nil) == row.synchronizable)
            guard row.add == errSecSuccess else { return }
            var result: CFTypeRef?
            let query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecReturnAttributes: true,
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            #expect((result as? [String: Any])?["agrp"] as? String == row.groups[0])
        }
    }

    @Test("a signed program", arguments: rows)
    private func signed(_ row: Row) throws {
        let stage = try SigningProgram()
        defer { _ = try? stage("stop") }
        try #require(try stage("start").status == 0)
        let team = try stage.team()
        try #require(try stage("team", "trust", stage.path("data/latchkey/teams/\(team).team")).status == 0)
        let program = try stage.copy(Installation.program("latchkey").path, "mail")
        let entitlements = try stage.write(try Self.propertyList(row, team), "mail.entitlements")
        let signing = try stage(
            "codesign", "--team", team, "--identifier", "com.example.mail", "--entitlements", entitlements, program)
        try #require(signing.status == 0, "\(signing.errors)")

        let access = try stage("access", "test", program, "--json").json()
        let groups = row.groups.map { $0.replacing("TEAM", with: team) }
        #expect(access["accessGroups"] as? [String] == groups)
        #expect(access["level"] as? String == "B")
        #expect(try call(program, ["status", "--json"], stage).json()["callerLevel"] as? String == "B")
        let add = ["add-generic-password", "-s", "s", "-w", "--json"]
        #expect(try code(program, add, stage) == row.add)
        #expect(try code(program, add + ["--synchronizable"], stage) == row.synchronizable)
        guard row.add == errSecSuccess else { return }
        let found = try call(program, ["find-generic-password", "-s", "s", "--json"], stage).json()
        #expect(found["agrp"] as? String == groups[0])
    }

    private func call(_ program: String, _ arguments: [String], _ stage: SigningProgram) throws -> Ending {
        try run(
            URL(filePath: program), arguments + ["--device", stage.path("device")], input: Data("secret\n".utf8),
            environment: ["HOME": stage.directory])
    }

    /// The result code of a command: 0, or what its error says.
    private func code(_ program: String, _ arguments: [String], _ stage: SigningProgram) throws -> OSStatus? {
        let ending = try call(program, arguments, stage)
        if ending.status == 0 { return errSecSuccess }
        let document = try JSONSerialization.jsonObject(with: Data((ending.output + ending.errors).utf8))
        let error = (document as? [String: Any])?["error"] as? [String: Any]
        return (error?["code"] as? NSNumber)?.int32Value
    }

    private static func propertyList(_ row: Row, _ team: String) throws -> String {
        var list: [String: Any] = [:]
        let texts = [
            "keychain-access-groups": row.keychainGroups,
            "com.apple.developer.associated-application-identifier": row.associated,
            "com.apple.security.application-groups": row.applicationGroups,
        ]
        for (key, groups) in texts where !groups.isEmpty {
            list[key] = groups.map { $0.replacing("TEAM", with: team) }
        }
        for key in row.truths { list[key] = true }
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        return String(decoding: data, as: UTF8.self)
    }
}
