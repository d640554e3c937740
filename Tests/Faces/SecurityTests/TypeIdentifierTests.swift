import Foundation
import Testing

@testable import Security

@Suite("Numbers of types")
struct TypeIdentifierTests {
    @Test("every class has the number of its type")
    func numbers() throws {
        let control = try #require(SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, [], nil))
        let table: [(CFTypeRef, CFTypeID)] = [
            ("a" as CFString, CFStringGetTypeID()), (NSMutableString(string: ""), CFStringGetTypeID()),
            (kSecClass, CFStringGetTypeID()),
            (Data() as CFData, CFDataGetTypeID()), (NSMutableData(), CFDataGetTypeID()),
            (1 as CFNumber, CFNumberGetTypeID()), (1.5 as CFNumber, CFNumberGetTypeID()),
            (true as CFBoolean, CFBooleanGetTypeID()), (kCFBooleanFalse, CFBooleanGetTypeID()),
            (Date() as CFDate, CFDateGetTypeID()), ([1] as CFArray, CFArrayGetTypeID()),
            (NSMutableArray(), CFArrayGetTypeID()), (["a": 1] as CFDictionary, CFDictionaryGetTypeID()),
            (NSMutableDictionary(), CFDictionaryGetTypeID()), (NSSet(), CFSetGetTypeID()),
            (NSURL(fileURLWithPath: "/"), CFURLGetTypeID()), (NSNull(), CFNullGetTypeID()),
            (NSUUID(), CFUUIDGetTypeID()), (NSError(domain: "d", code: 1), CFErrorGetTypeID()),
            (control, SecAccessControlGetTypeID()), (TestKeys.p256, SecKeyGetTypeID()),
            (TestCertificates.ofP256, SecCertificateGetTypeID()), (TestCertificates.identity, SecIdentityGetTypeID()),
        ]
        for (object, number) in table {
            #expect(CFGetTypeID(object) == number, "\(type(of: object))")
            #expect(number != 0)
        }
    }

    @Test("no two types share a number")
    func distinct() {
        let numbers = [
            CFStringGetTypeID(), CFDataGetTypeID(), CFNumberGetTypeID(), CFBooleanGetTypeID(), CFDateGetTypeID(),
            CFArrayGetTypeID(), CFDictionaryGetTypeID(), CFSetGetTypeID(), CFURLGetTypeID(), CFNullGetTypeID(),
            CFUUIDGetTypeID(), CFErrorGetTypeID(), SecAccessControlGetTypeID(), SecKeyGetTypeID(),
            SecCertificateGetTypeID(), SecIdentityGetTypeID(),
        ]
        #expect(Set(numbers).count == numbers.count)
    }

    @Test("objects of this module start with the word that C reads")
    func layout() {
        let key = TestKeys.p256
        let word = Unmanaged.passUnretained(key).toOpaque().load(fromByteOffset: 16, as: UInt64.self)
        #expect(word >> 8 == UInt64(SecKeyGetTypeID()))
        #expect(word & 0xFF == 0x80)
        withExtendedLifetime(key) {}
    }

    @Test("objects of this module can be values of a dictionary that C describes and compares")
    func inDictionary() throws {
        let one = try #require(
            SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, .devicePasscode, nil))
        let other = try #require(
            SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, .devicePasscode, nil))
        #expect(["accc": one] as NSDictionary == ["accc": other] as NSDictionary)
        #expect(CFEqual(one, other))
        #expect(CFHash(one) == CFHash(other))
        #expect("\(one)".hasPrefix("<SecAccessControlRef: dk;"))
    }

    @Test("C compares, hashes and describes objects of this module like Swift does")
    func seenFromC() throws {
        func made(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
            try #require(SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, flags, nil))
        }
        let (one, same, other) = try (made(.devicePasscode), made([.devicePasscode, .or]), made(.biometryAny))
        withExtendedLifetime((one, same, other)) {
            #expect(equalToC(address(of: one), address(of: same)) == 1)
            #expect(equalToC(address(of: one), address(of: other)) == 0)
            #expect(hashOfC(address(of: one)) == UInt(bitPattern: one.hash))
            #expect(descriptionOfC(address(of: one)).takeRetainedValue() as String == one.description)
            #expect(typeOfC(address(of: one)) == SecAccessControlGetTypeID())
        }
    }

    @Test("C can keep an object of this module alive and let it go")
    func ownedByC() {
        weak var observed: SecKey?
        do {
            let key = SecKey(TestKeys.p256.publicKey)
            observed = key
            retainOfC(address(of: key))
        }
        #expect(observed != nil)
        if let kept = observed.map({ address(of: $0) }) { releaseOfC(kept) }
        #expect(observed == nil)
    }
}

private func address(of object: AnyObject) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
}

@_silgen_name("CFEqual") private func equalToC(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> UInt8
@_silgen_name("CFHash") private func hashOfC(_ object: UnsafeRawPointer) -> UInt
@_silgen_name("CFGetTypeID") private func typeOfC(_ object: UnsafeRawPointer) -> UInt
@_silgen_name("CFCopyDescription")
private func descriptionOfC(_ object: UnsafeRawPointer) -> Unmanaged<NSString>
@discardableResult
@_silgen_name("CFRetain") private func retainOfC(_ object: UnsafeRawPointer) -> UnsafeRawPointer
@_silgen_name("CFRelease") private func releaseOfC(_ object: UnsafeRawPointer)
