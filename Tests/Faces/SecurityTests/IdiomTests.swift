import CoreFoundation
import LatchkeyPropertyListDER
import Security
import Testing

/// Code as it is written for Apple platforms, unchanged. That it compiles is half of each test.
@Suite("Code written for Apple platforms")
struct IdiomTests {
    private let keychain = RecordingKeychain(
        result: .dictionary(["acct": .string("me"), "v_Data": .secret(0)]), secrets: [[1, 2]])

    /// Returns the query that a call with this one asked the keychain.
    private func asked(_ query: CFDictionary) throws -> [String: PropertyValue] {
        let recorder = RecordingKeychain()
        _ = recorder.whileCurrent { SecItemCopyMatching(query, nil) }
        return try #require(recorder.requests.first).queryByName
    }

    @Test("data is made of bytes without naming an allocator, also beside the functions of the C module")
    func dataOfBytes() {
        let bytes: [UInt8] = [1, 2, 3]
        #expect(CFDataCreate(nil, bytes, 3) as Data == Data(bytes))
        #expect(CFDataCreate(nil, bytes, bytes.count)! as Data == Data(bytes))
        #expect(CFDataCreate(nil, [1, 2, 3], 2) as Data == Data([1, 2]))
        bytes.withUnsafeBufferPointer { #expect(CFDataCreate(nil, $0.baseAddress!, 1) as Data == Data([1])) }
        #expect(CFDataGetLength(CFDataCreate(nil, bytes, 2)) == 2)
    }

    @Test("a query may be a dictionary of any kind")
    func queries() throws {
        let expected: [String: PropertyValue] = [
            "class": .string("genp"), "acct": .string("me"), "r_Data": .boolean(true),
        ]
        let plain: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "me",
            kSecReturnData as String: true,
        ]
        #expect(try asked(plain as CFDictionary) == expected)
        let named: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "me", kSecReturnData: kCFBooleanTrue!,
        ]
        #expect(try asked(named as CFDictionary) == expected)
        let objects: [NSString: AnyObject] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "me" as NSString, kSecReturnData: kCFBooleanTrue,
        ]
        #expect(try asked(objects as CFDictionary) == expected)
        let texts: [String: AnyObject] = [
            String(kSecClass): kSecClassGenericPassword, String(kSecAttrAccount): "me" as AnyObject,
            String(kSecReturnData): true as AnyObject,
        ]
        #expect(try asked(texts as CFDictionary) == expected)
        let optionals: [String?: AnyObject] = [
            kSecClass as String?: kSecClassGenericPassword, kSecAttrAccount as String?: "me" as NSString,
            kSecReturnData as String?: kCFBooleanTrue,
        ]
        #expect(try asked(optionals as CFDictionary) == expected)
        let hashable: [AnyHashable: Any] = [
            kSecClass: kSecClassGenericPassword, "acct": "me", kSecReturnData: kCFBooleanTrue as Any,
        ]
        #expect(try asked(hashable as CFDictionary) == expected)
        let nsObjects: [String: NSObject] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "me" as NSString,
            kSecReturnData as String: NSNumber(value: true),
        ]
        #expect(try asked(nsObjects as CFDictionary) == expected)
        let mutable = NSMutableDictionary()
        mutable[kSecClass] = kSecClassGenericPassword
        mutable.setObject("me", forKey: kSecAttrAccount as NSString)
        mutable[kSecReturnData as String] = true
        #expect(try asked(mutable) == expected)
        #expect(
            try asked(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "me", kSecReturnData: true,
                ] as CFDictionary) == expected)
        let dictionary: NSDictionary = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "me", kSecReturnData: true,
        ]
        #expect(try asked(dictionary) == expected)
    }

    @Test("a result may be cast to any kind of dictionary")
    func results() {
        keychain.whileCurrent {
            let query: [String: Any] = [kSecClass as String: kSecClassGenericPassword]
            var item: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
            #expect((item as? [String: Any])?[kSecValueData as String] as? Data == Data([1, 2]))
            #expect((item as? [CFString: Any])?[kSecAttrAccount] as? String == "me")
            #expect((item as? NSDictionary)?[kSecAttrAccount] as? String == "me")
            var object: AnyObject?
            let status = withUnsafeMutablePointer(to: &object) {
                SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
            }
            #expect(status == noErr)
            #expect(object is NSDictionary)
            if let existing = object as? [AnyHashable: Any] {
                #expect(existing[kSecAttrAccount] as? String == "me")
                #expect(existing["v_Data"] is Data)
            } else {
                Issue.record("no dictionary")
            }
        }
    }

    @Test("texts find each other in dictionaries, whatever they are")
    func hashableTexts() {
        #expect(AnyHashable(kSecAttrAccount) == AnyHashable("acct"))
        #expect(AnyHashable("acct") == AnyHashable(kSecAttrAccount))
        #expect(AnyHashable(kSecAttrAccount).hashValue == AnyHashable("acct").hashValue)
        #expect(AnyHashable(kSecAttrAccount) != AnyHashable("svce"))
        let names: [CFString: Int] = [kSecAttrKeyTypeEC: 1, kSecAttrAccount: 2]
        #expect(names[kSecAttrKeyTypeECSECPrimeRandom] == 1)
    }

    @Test("constants can be compared, switched over and written out")
    func constants() {
        let protection: CFString = NSString(string: "ak")
        switch protection {
        case kSecAttrAccessibleAfterFirstUnlock: Issue.record("wrong case")
        case kSecAttrAccessibleWhenUnlocked: break
        default: Issue.record("no case")
        }
        #expect(kSecClassKey == kSecClassKey)
        #expect(String(kSecClass) == "class")
        #expect("\(kSecClass)" == "class")
        #expect(kSecAttrLabel as AnyObject === kSecAttrLabel)
        #expect((kSecAttrAccessible as String).count == 4)
    }

    @Test("an access control is made with and without a place for the error")
    func accessControl() throws {
        func made() throws -> SecAccessControl {
            var error: Unmanaged<CFError>?
            guard
                let control = SecAccessControlCreateWithFlags(
                    kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                    [.privateKeyUsage, .userPresence], &error)
            else { throw error!.takeRetainedValue() as any Error }
            return control
        }
        let control = try made()
        #expect(CFGetTypeID(control) == SecAccessControlGetTypeID())
        #expect(SecAccessControlCreateWithFlags(nil, DeprecatedConstants.accessibleAlways, [.and, .or], nil) == nil)
        var error: Unmanaged<CFError>?
        SecAccessControlCreateWithFlags(nil, "nonsense" as CFString, .userPresence, &error)
        do {
            throw error!.takeRetainedValue()
        } catch let thrown as CFError {
            #expect(CFErrorGetCode(thrown) == -50)
            #expect((CFErrorCopyUserInfo(thrown) as? [String: Any])?.isEmpty == false)
            #expect(!thrown.localizedDescription.isEmpty)
        }
    }

    @Test("errors are made of result codes")
    func errors() {
        let error = NSError(domain: NSOSStatusErrorDomain, code: Int(errSecDuplicateItem))
        #expect(CFErrorGetDomain(error) as String == NSOSStatusErrorDomain)
        let made = CFErrorCreate(kCFAllocatorDefault, kCFErrorDomainOSStatus, -4, nil)!
        #expect(CFErrorGetCode(made) == -4)
        #expect((made as any Error as NSError).domain == NSOSStatusErrorDomain)
        #expect(CFErrorCopyDescription(made) != nil)
        let described = CFErrorCreate(nil, "d" as CFString, 1, [kCFErrorLocalizedDescriptionKey!: "x"] as CFDictionary)
        #expect(described?.localizedDescription == "x")
        let message = SecCopyErrorMessageString(errSecAuthFailed, nil) as String?
        #expect(message == "Authentication failed.")
        switch errSecAuthFailed {
        case errSecSuccess, errSecItemNotFound: Issue.record("wrong case")
        default: break
        }
    }

    @Test("random bytes fill what they are given")
    func random() {
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
        #expect(bytes.contains { $0 != 0 })
        var data = Data(count: 64)
        let status = data.withUnsafeMutableBytes { SecRandomCopyBytes(nil, 64, $0.baseAddress!) }
        #expect(status == errSecSuccess)
        #expect(data != Data(count: 64))
        var half = [UInt8](repeating: 0, count: 64)
        #expect(SecRandomCopyBytes(kSecRandomDefault, 32, &half) == 0)
        #expect(half[32...].allSatisfy { $0 == 0 })
        #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &half) == errSecParam)
        #expect(SecRandomCopyBytes(kSecRandomDefault, 0, &half) == errSecSuccess)
    }
}
