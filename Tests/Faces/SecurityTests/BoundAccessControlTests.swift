import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import Security

@Suite("Access controls of stored items")
struct BoundAccessControlTests {
    private func set(_ byte: UInt8) throws -> EnrolmentSet {
        try #require(EnrolmentSet([UInt8](repeating: byte, count: EnrolmentSet.byteCount)))
    }

    /// The object that a search returns for an item that was added while `byte` was enrolled.
    private func found(_ byte: UInt8) throws -> SecAccessControl {
        let rules = try AccessControl(protection: .whenUnlocked, flags: .biometryCurrentSet)
        let bound = try #require(rules.bound(to: set(byte)))
        let object = try ReplyTranslation(secrets: [])
            .result(of: .reference(kind: "SecAccessControl", bytes: bound.serialised))
        return try #require(object as? SecAccessControl)
    }

    @Test("the set that an item is bound to is part of what makes two equal")
    func equality() throws {
        #expect(try found(1) == found(1))
        #expect(try found(1).hash == found(1).hash)
        #expect(try CFEqual(found(1), found(1)))
        #expect(try found(1) != found(2))
        let made = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryCurrentSet, nil))
        #expect(try found(1) != made)
    }

    @Test("a bound access control is of the same type, says the same, and travels whole")
    func sameOtherwise() throws {
        let made = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryCurrentSet, nil))
        let found = try found(1)
        #expect(CFGetTypeID(found) == SecAccessControlGetTypeID())
        #expect(found.description == made.description)
        var translation = QueryTranslation()
        #expect(
            translation.pairs(of: [kSecAttrAccessControl: found])
                == [QueryPair("accc", .reference(kind: "SecAccessControl", bytes: found.rules.serialised))])
        #expect(found.rules.enrolmentSet == (try set(1)))
    }
}
