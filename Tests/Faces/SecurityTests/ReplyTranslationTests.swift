import Foundation
import LatchkeyAccessControl
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@testable import Security

@Suite("From an answer to objects")
struct ReplyTranslationTests {
    private func object(_ value: PropertyValue, secrets: [[UInt8]] = []) throws -> AnyObject {
        try #require(try ReplyTranslation(secrets: secrets.map { SecretBox(copying: $0) }).result(of: value))
    }

    @Test("every value becomes an object of Foundation")
    func values() throws {
        #expect(try object(.null) is NSNull)
        #expect(try object(.string("text")) as? NSString == "text")
        #expect(try object(.string("text")) as? String == "text")
        #expect(try object(.data([1, 2])) as? NSData == NSData(data: Data([1, 2])))
        #expect(try object(.data([])) as? Data == Data())
        #expect(try object(.integer(-5)) as? Int == -5)
        #expect(try object(.integer(443)) as? UInt16 == 443)
        #expect(try object(.date(12.5)) as? Date == Date(timeIntervalSinceReferenceDate: 12.5))
        #expect(try object(.secret(1), secrets: [[1], [2, 3]]) as? Data == Data([2, 3]))
        #expect(try object(.secret(0), secrets: [[]]) as? Data == Data())
        #expect(CFGetTypeID(try object(.boolean(true))) == CFBooleanGetTypeID())
        #expect(CFGetTypeID(try object(.integer(1))) == CFNumberGetTypeID())
    }

    @Test("lists and dictionaries can be cast to whatever a program expects")
    func collections() throws {
        let one: PropertyValue = .dictionary(["acct": .string("me"), "v_Data": .secret(0), "port": .integer(1)])
        let found = try object(.array([one, one]), secrets: [[9]])
        #expect((found as? [[String: Any]])?.count == 2)
        #expect((found as? [[CFString: Any]])?.first?[kSecAttrAccount] as? String == "me")
        #expect((found as? [NSDictionary])?.last?[kSecValueData] as? Data == Data([9]))
        #expect((found as? NSArray)?.count == 2)
        let dictionary = try object(one, secrets: [[9]])
        #expect((dictionary as? [AnyHashable: Any])?["port"] as? Int == 1)
        #expect((dictionary as? [AnyHashable: Any])?[kSecAttrAccount] as? String == "me")
        #expect((dictionary as? [String: AnyObject])?["acct"] is NSString)
        #expect(try (object(.array([])) as? NSArray)?.count == 0)
        #expect(try (object(.dictionary([:])) as? NSDictionary)?.count == 0)
        #expect(try object(.array([.data([1]), .data([2])])) as? [Data] == [Data([1]), Data([2])])
    }

    @Test("an access control comes back equal")
    func accessControl() throws {
        let rules = try AccessControl(protection: .whenUnlocked, flags: .biometryAny)
        let back = try object(.reference(kind: "SecAccessControl", bytes: rules.serialised))
        #expect(back as? SecAccessControl == SecAccessControl(rules))
    }

    @Test("an answer that makes no sense is refused")
    func nonsense() {
        #expect(throws: ReplyTranslation.Failure.noSuchSecret(index: 1)) {
            try object(.array([.secret(1)]), secrets: [[1]])
        }
        #expect(throws: ReplyTranslation.Failure.noSuchSecret(index: -1)) { try object(.secret(-1)) }
        #expect(throws: ReplyTranslation.Failure.unknownReference(kind: "SecKey")) {
            try object(.dictionary(["v_Ref": .reference(kind: "SecKey", bytes: [])]))
        }
        #expect(throws: ReplyTranslation.Failure.damagedAccessControl) {
            try object(.reference(kind: "SecAccessControl", bytes: [1]))
        }
    }
}
