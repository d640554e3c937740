import LatchkeyAccessControl
import Testing

@Suite("Making an access control")
struct CreationTests {
    @Test("every protection class goes with every single condition", arguments: ProtectionClass.allCases)
    func everyProtection(protection: ProtectionClass) throws {
        for flags: AccessControlFlags in [[], .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode] {
            let control = try AccessControl(protection: protection.rawValue, flags: flags)
            #expect(control.protection == protection)
            #expect(control.flags == flags)
        }
    }

    @Test(
        "a protection that is not a protection class is refused",
        arguments: [nil, "", "AK", "akp", "genp"] as [String?])
    func unknownProtection(name: String?) {
        #expect(throws: CreationRefusal.unknownProtection(found: name)) {
            try AccessControl(protection: name, flags: [])
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let flags: AccessControlFlags
        let refusal: CreationRefusal
        var testDescription: String { "0x\(String(flags.rawValue, radix: 16))" }
    }

    private static let unknown = AccessControlFlags(rawValue: 1 << 7)

    @Test(
        "flags that contradict each other are refused",
        arguments: [
            Refused(flags: [.or, .and], refusal: .bothOrAndAnd),
            Refused(flags: [.or, .and, .devicePasscode, .biometryAny], refusal: .bothOrAndAnd),
            Refused(flags: [.biometryAny, .biometryCurrentSet], refusal: .bothKindsOfBiometry),
            Refused(flags: [.biometryAny, .biometryCurrentSet, .or], refusal: .bothKindsOfBiometry),
            Refused(flags: [.userPresence, .or], refusal: .userPresenceWithOthers(others: .or)),
            Refused(flags: [.userPresence, .and], refusal: .userPresenceWithOthers(others: .and)),
            Refused(flags: [.userPresence, .biometryAny], refusal: .userPresenceWithOthers(others: .biometryAny)),
            Refused(
                flags: [.userPresence, .devicePasscode, .applicationPassword],
                refusal: .userPresenceWithOthers(others: .devicePasscode)),
            Refused(flags: [.userPresence, .companion], refusal: .userPresenceWithOthers(others: .companion)),
            Refused(flags: [.userPresence, unknown], refusal: .userPresenceWithOthers(others: unknown)),
        ])
    func contradictions(row: Refused) {
        #expect(throws: row.refusal) { try AccessControl(protection: .whenUnlocked, flags: row.flags) }
    }

    struct Simplified: Sendable, CustomTestStringConvertible {
        let given: AccessControlFlags
        let kept: AccessControlFlags
        var testDescription: String { "0x\(String(given.rawValue, radix: 16))" }
    }

    @Test(
        "allowed flags are kept in their simplest form",
        arguments: [
            Simplified(given: [], kept: []),
            Simplified(given: .or, kept: []),
            Simplified(given: .and, kept: []),
            Simplified(given: [.devicePasscode, .or], kept: .devicePasscode),
            Simplified(given: [.devicePasscode, .and], kept: .devicePasscode),
            Simplified(given: [.devicePasscode, .biometryAny], kept: [.devicePasscode, .biometryAny, .and]),
            Simplified(given: [.devicePasscode, .biometryAny, .and], kept: [.devicePasscode, .biometryAny, .and]),
            Simplified(given: [.devicePasscode, .biometryAny, .or], kept: [.devicePasscode, .biometryAny, .or]),
            Simplified(given: .applicationPassword, kept: .applicationPassword),
            Simplified(given: .privateKeyUsage, kept: .privateKeyUsage),
            Simplified(
                given: [.userPresence, .applicationPassword, .privateKeyUsage],
                kept: [.userPresence, .applicationPassword, .privateKeyUsage]),
            Simplified(given: [unknown, .devicePasscode], kept: .devicePasscode),
        ])
    func simplestForm(row: Simplified) throws {
        let control = try AccessControl(protection: .whenUnlocked, flags: row.given)
        #expect(control.flags == row.kept)
    }

    @Test("only an access control without conditions and password is bound from the start")
    func bound() throws {
        #expect(AccessControl(protection: .whenUnlocked).isBound)
        #expect(try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage).isBound)
        #expect(try !AccessControl(protection: .whenUnlocked, flags: .applicationPassword).isBound)
        #expect(try !AccessControl(protection: .whenUnlocked, flags: .userPresence).isBound)
        let presence = try AccessControl(protection: .whenUnlocked, flags: .userPresence)
        #expect(try #require(presence.marked(asBound: true)).isBound)
        #expect(try AccessControl(protection: .whenUnlocked, flags: .biometryCurrentSet).marked(asBound: true) == nil)
    }

    @Test(
        "every refusal says what to do",
        arguments: [
            CreationRefusal.unknownProtection(found: nil), .unknownProtection(found: "x"), .bothOrAndAnd,
            .bothKindsOfBiometry, .userPresenceWithOthers(others: .or),
        ])
    func reasons(refusal: CreationRefusal) {
        #expect(refusal.description.contains("; "))
    }
}
