import Foundation
import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyPropertyListDER
import Testing

@Suite("Entitlements for signing")
struct EntitlementsTests {
    static let team = TeamKey.generate().publicKey.identifier

    private func entitlements(_ file: [UInt8]?, identifier: String = "com.example.mail") throws -> SigningEntitlements {
        try SigningEntitlements(file: file, team: Self.team, identifier: identifier)
    }

    private func file(_ content: String) -> [UInt8] {
        Array("<plist version=\"1.0\"><dict>\(content)</dict></plist>".utf8)
    }

    private func failure(_ content: String, identifier: String = "com.example.mail") -> CommandFailure? {
        #expect(throws: CommandFailure.self) { try entitlements(file(content), identifier: identifier) }
    }

    @Test("without a file a program has its own group and nothing else")
    func none() throws {
        let made = try entitlements(nil)
        #expect(made.application == "\(Self.team).com.example.mail")
        #expect(made.dictionary == ["application-identifier": .string(made.application)])
        let statement = try made.statement(digest: [UInt8](repeating: 1, count: 32), date: 0)
        #expect(statement.entitlements.accessGroups == [made.application])
    }

    @Test("the variables of Xcode stand for the team and the identifier, in whatever place")
    func variables() throws {
        let made = try entitlements(
            file(
                """
                <key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)shared</string>\
                <string>${TeamIdentifierPrefix}$(CFBundleIdentifier)</string></array>\
                <key>other</key><dict><key>$(CFBundleIdentifier)</key><string>$$(PRODUCT_BUNDLE_IDENTIFIER) $5</string></dict>
                """))
        #expect(
            made.dictionary["keychain-access-groups"]
                == .array([.string("\(Self.team).shared"), .string("\(Self.team).com.example.mail")]))
        #expect(
            made.dictionary["other"]
                == .dictionary(["$(CFBundleIdentifier)": .string("$com.example.mail $5")]))
    }

    @Test("a variable that stands for nothing is refused, with its key")
    func unknownVariable() {
        let failure = failure("<key>a</key><dict><key>b</key><string>$(DEVELOPMENT_TEAM).x</string></dict>")
        #expect(failure?.status == .entitlementsRefused)
        #expect(failure?.why?.contains("a.b has $(DEVELOPMENT_TEAM)") == true)
    }

    @Test("an application identifier that is given must be the program's")
    func applicationIdentifier() throws {
        let own = "<string>$(AppIdentifierPrefix)com.example.mail</string>"
        #expect(try entitlements(file("<key>application-identifier</key>\(own)")) == entitlements(nil))
        for key in ["application-identifier", "com.apple.application-identifier"] {
            for value in [
                "<string>\(Self.team).com.example.other</string>", "<string>com.example.mail</string>", "<true/>",
            ] {
                let failure = failure("<key>\(key)</key>\(value)")
                #expect(failure?.status == .entitlementsRefused)
                #expect(failure?.why?.contains(key) == true)
            }
        }
    }

    @Test(
        "groups of the team, application groups and the token group are signed",
        arguments: [
            "<key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)x</string></array>",
            "<key>keychain-access-groups</key><array><string>com.apple.token</string></array>",
            "<key>keychain-access-groups</key><array/>",
            "<key>com.apple.security.application-groups</key><array><string>group.org.shared</string></array>",
            "<key>org.latchkey.minimum-assurance-level</key><string>A</string>",
            "<key>com.apple.private.keychain.deny</key><true/>", "<key>unknown</key><integer>-3</integer>",
        ])
    func accepted(_ content: String) throws {
        _ = try entitlements(file(content))
    }

    @Test(
        "what belongs to another team, to everybody, or has the wrong type is refused, and the key is named",
        arguments: [
            ("keychain-access-groups", "<array><string>com.example.mail</string></array>"),
            ("keychain-access-groups", "<array><string>A1B2C3D4E5.x</string></array>"),
            ("keychain-access-groups", "<array><string>*</string></array>"),
            ("keychain-access-groups", "<array><string>group.org.shared</string></array>"),
            ("keychain-access-groups", "<array><string>$(AppIdentifierPrefix)x</string><string>y</string></array>"),
            ("com.apple.developer.associated-application-identifier", "<array><string>Z.y</string></array>"),
            ("com.apple.security.application-groups", "<array><string>org.shared</string></array>"),
            ("com.apple.security.application-groups", "<array><string>*</string></array>"),
            ("keychain-access-groups", "<string>$(AppIdentifierPrefix)x</string>"),
            ("keychain-access-groups", "<array><integer>1</integer></array>"),
            ("keychain-access-groups", "<array><string></string></array>"),
            ("com.apple.private.keychain.deny", "<string>yes</string>"),
            ("org.latchkey.minimum-assurance-level", "<string>D</string>"),
            ("any", "<real>1</real>"), ("any", "<integer>9223372036854775808</integer>"),
        ])
    func refused(_ key: String, _ value: String) {
        let failure = failure("<key>\(key)</key>\(value)")
        #expect(failure?.status == .entitlementsRefused)
        #expect(failure?.why?.contains(key) == true, "\(failure?.why ?? "")")
    }

    @Test(
        "identifiers that no application has",
        arguments: [
            "", ".", "com..x", ".com", "com.", "com example", "com/x", "cöm.x", "a\u{0}",
            String(repeating: "a", count: 129),
        ])
    func identifiers(_ identifier: String) {
        let failure = #expect(throws: CommandFailure.self) { try entitlements(nil, identifier: identifier) }
        #expect(failure?.status == .usage)
    }

    @Test("an identifier as long as it may be")
    func longIdentifier() throws {
        _ = try entitlements(nil, identifier: String(repeating: "a", count: SigningEntitlements.identifierLimit))
    }
}
