// The examples of Docs/Manual/Testing.md, as they stand there.
import DataProtection
import Foundation
import LocalAuthentication
import Security
import SecurityTesting
import Testing
import XCTest

/// The code under test: a token store as many apps have one.
struct TokenStore {
    private var query: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail.token", kSecAttrAccount: "anna"]
    }

    func save(_ token: String) -> OSStatus {
        let item = query.merging([
            kSecValueData: Data(token.utf8),
            kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecDuplicateItem else { return status }
        return SecItemUpdate(query as CFDictionary, [kSecValueData: Data(token.utf8)] as CFDictionary)
    }

    func load() throws -> String? {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        switch status {
        case errSecSuccess: return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
        case errSecItemNotFound: return nil
        default: throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
    }
}

// MARK: Swift Testing

@Suite struct TokenStoreTests {
    @Test func tokensSurviveALockedPhone() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
        try mail.run {
            #expect(TokenStore().save("abc") == errSecSuccess)
            try device.lock()
            #expect(try TokenStore().load() == "abc")
            try device.reboot()
            #expect(throws: NSError.self) { try TokenStore().load() }
        }
        #expect(device.findings.isEmpty)
    }

    @Test func aFullDiskIsReported() throws {
        let device = try VirtualDevice()
        device.failNext(.add, with: errSecDiskFull)
        #expect(device.run { TokenStore().save("abc") } == errSecDiskFull)
    }

    @Test func theTokenStaysOnTheOldPhone() throws {
        let (old, new) = (try VirtualDevice(), try VirtualDevice())
        let mail = old.install("com.example.mail", team: "A1B2C3D4E5")
        mail.run { #expect(TokenStore().save("abc") == errSecSuccess) }
        let result = try new.restore(old.backup())
        #expect(result.restoredItems == 0 && result.itemsOfOtherDevice == 1)
    }

    @Test func theReportIsUnreadableOnALockedPhone() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let report = Data("Blood group: 0 negative".utf8)
        try device.run {
            try report.writeProtected(to: device.files.url("report"), options: .completeFileProtection)
        }
        #expect(try device.files.containing("Blood group".utf8).isEmpty)
        try device.lock()
        #expect(try !device.files.isReadable("report"))
        #expect(device.findings.isEmpty)
    }

    @Test func aWrongPasscodeHasItsCode() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let error = #expect(throws: VirtualDeviceError.self) { try device.unlock("0000") }
        #expect(error?.code == .wrongPasscode)
    }

    @Test func theMailOpensWithAFinger() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        device.run { #expect(saveGuarded("abc") == errSecSuccess) }

        device.script(.mismatch, .match(.rightIndex))
        device.run { #expect(loadGuarded() == "abc") }

        device.script(.fallback, .passcode("1234"))
        device.run { #expect(loadGuarded() == "abc") }
        #expect(device.unusedAnswers.isEmpty)
    }

    @Test func theLoginAsksForAFinger() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let key = try LoginKey.make()
            device.script(.match(.rightIndex))
            #expect(key.answer(to: "challenge") != nil)
            try device.enroll(.leftThumb)
            #expect(key.answer(to: "challenge") == nil)
        }
    }
}

/// A key that a server knows the public half of.
private struct LoginKey {
    let key: SecKey

    static func make() throws -> LoginKey {
        let control = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet], nil)
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [kSecAttrAccessControl: control as Any] as [CFString: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as any Error
        }
        return LoginKey(key: key)
    }

    func answer(to challenge: String) -> Data? {
        SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data(challenge.utf8) as CFData, nil) as Data?
    }
}

private func saveGuarded(_ text: String) -> OSStatus {
    let control = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
    let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail.guarded",
        kSecAttrAccessControl: control as Any, kSecValueData: Data(text.utf8),
    ]
    return SecItemAdd(item as CFDictionary, nil)
}

private func loadGuarded() -> String? {
    let context = LAContext()
    context.localizedReason = "open the mail"
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail.guarded", kSecReturnData: true,
        kSecUseAuthenticationContext: context,
    ]
    var result: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
}

// MARK: XCTest

final class TokenStoreXCTests: XCTestCase {
    private var device: VirtualDevice?

    override func setUpWithError() throws {
        device = try VirtualDevice()
        device?.makeCurrent()
    }

    override func tearDown() {
        device?.close()
    }

    func testTokensAreOverwritten() throws {
        XCTAssertEqual(TokenStore().save("old"), errSecSuccess)
        XCTAssertEqual(TokenStore().save("new"), errSecSuccess)
        XCTAssertEqual(try TokenStore().load(), "new")
        XCTAssertEqual(device?.findings, [])
    }
}
