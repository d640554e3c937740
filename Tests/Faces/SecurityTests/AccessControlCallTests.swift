import Foundation
import Security
import Testing

@Suite("SecAccessControlCreateWithFlags")
struct AccessControlCallTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let flags: SecAccessControlCreateFlags
        let isAllowed: Bool

        init(_ name: String, _ flags: SecAccessControlCreateFlags, isAllowed: Bool) {
            self.testDescription = name
            self.flags = flags
            self.isAllowed = isAllowed
        }
    }

    private static let unknown = SecAccessControlCreateFlags(rawValue: 1 << 20)

    @Test(
        "the rules of creation hold",
        arguments: [
            Row("nothing", [], isAllowed: true),
            Row("or and and", [.or, .and], isAllowed: false),
            Row("both biometries", [.biometryAny, .biometryCurrentSet], isAllowed: false),
            Row("both biometries with or", [.biometryAny, .biometryCurrentSet, .or], isAllowed: false),
            Row("presence", .userPresence, isAllowed: true),
            Row("presence and passcode", [.userPresence, .devicePasscode], isAllowed: false),
            Row("presence and biometry", [.userPresence, .biometryAny], isAllowed: false),
            Row("presence and or", [.userPresence, .or], isAllowed: false),
            Row("presence and and", [.userPresence, .and], isAllowed: false),
            Row("presence and an unknown bit", [.userPresence, unknown], isAllowed: false),
            Row("presence and password", [.userPresence, .applicationPassword], isAllowed: true),
            Row("presence and key use", [.userPresence, .privateKeyUsage], isAllowed: true),
            Row("or alone", .or, isAllowed: true),
            Row("and alone", .and, isAllowed: true),
            Row("or with one condition", [.or, .devicePasscode], isAllowed: true),
            Row("two conditions", [.biometryAny, .devicePasscode], isAllowed: true),
            Row("two conditions with or", [.biometryAny, .devicePasscode, .or], isAllowed: true),
            Row(
                "three conditions with and", [.biometryCurrentSet, .devicePasscode, .companion, .and], isAllowed: true),
            Row("password alone", .applicationPassword, isAllowed: true),
            Row("key use alone", .privateKeyUsage, isAllowed: true),
            Row("unknown bit", unknown, isAllowed: true),
        ])
    func rules(row: Row) throws {
        for protection in [
            kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, DeprecatedConstants.accessibleAlways,
            kSecAttrAccessibleWhenUnlockedThisDeviceOnly, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            DeprecatedConstants.accessibleAlwaysThisDeviceOnly, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            kSecAttrAccessibleUntilReboot,
        ] {
            var error: Unmanaged<CFError>?
            let control = SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, row.flags, &error)
            #expect((control != nil) == row.isAllowed)
            try expectRefusal(error, isRefusal: !row.isAllowed)
        }
    }

    @Test("an unknown protection is refused", arguments: ["", "AK", "ak ", "genp", "com.example"])
    func unknownProtection(name: String) throws {
        var error: Unmanaged<CFError>?
        #expect(SecAccessControlCreateWithFlags(nil, name as CFString, [], &error) == nil)
        try expectRefusal(error, isRefusal: true)
        #expect(SecAccessControlCreateWithFlags(nil, name as CFString, [], nil) == nil)
    }

    @Test("a protection that is not text is refused")
    func protectionOfOtherKind() throws {
        for protection: CFTypeRef in [NSNull(), 5 as CFNumber, Data("ak".utf8) as CFData] {
            var error: Unmanaged<CFError>?
            #expect(SecAccessControlCreateWithFlags(nil, protection, [], &error) == nil)
            try expectRefusal(error, isRefusal: true)
        }
    }

    @Test("access controls are equal if their rules are")
    func equality() throws {
        func made(_ flags: SecAccessControlCreateFlags, _ protection: CFString) throws -> SecAccessControl {
            try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
        }
        let unlocked = kSecAttrAccessibleWhenUnlocked
        #expect(try made(.userPresence, unlocked) == made(.userPresence, unlocked))
        #expect(try made(.userPresence, unlocked).hash == made(.userPresence, unlocked).hash)
        #expect(try made([.devicePasscode, .or], unlocked) == made(.devicePasscode, unlocked))
        #expect(try made(.userPresence, unlocked) != made(.devicePasscode, unlocked))
        #expect(try made(.userPresence, unlocked) != made(.userPresence, DeprecatedConstants.accessibleAlways))
        #expect(try !made([], unlocked).isEqual("ak"))
    }

    @Test("the flags have Apple's bits")
    @available(*, deprecated)
    func bits() {
        let bits: [(SecAccessControlCreateFlags, UInt)] = [
            (.userPresence, 1), (.biometryAny, 2), (.touchIDAny, 2), (.biometryCurrentSet, 8),
            (.touchIDCurrentSet, 8), (.devicePasscode, 16), (.companion, 32), (.watch, 32), (.or, 16384),
            (.and, 32768), (.privateKeyUsage, 1_073_741_824), (.applicationPassword, 2_147_483_648),
        ]
        for (flag, value) in bits { #expect(flag.rawValue == value) }
    }

    @Test("an error's suggestion is there under the name of Core Foundation")
    func recoverySuggestion() throws {
        let key = try #require(kCFErrorLocalizedRecoverySuggestionKey)
        #expect(key as String == NSLocalizedRecoverySuggestionErrorKey)
        let error = try #require(
            CFErrorCreate(nil, kCFErrorDomainOSStatus, -50, [key: "Leave it out."] as CFDictionary))
        #expect(CFErrorCopyRecoverySuggestion(error) as String == "Leave it out.")
        #expect((CFErrorCopyUserInfo(error) as? [String: String])?[key as String] == "Leave it out.")
        let bare = try #require(CFErrorCreate(nil, kCFErrorDomainOSStatus, -50, nil))
        #expect(CFErrorCopyRecoverySuggestion(bare) == nil)
    }

    private func expectRefusal(_ error: Unmanaged<CFError>?, isRefusal: Bool) throws {
        guard isRefusal else {
            #expect(error == nil)
            return
        }
        let refusal = try #require(error).takeRetainedValue()
        #expect(CFErrorGetCode(refusal) == Int(errSecParam))
        #expect(CFErrorGetDomain(refusal) as String == NSOSStatusErrorDomain)
        #expect(CFErrorCopyFailureReason(refusal).length > 0)
    }
}
