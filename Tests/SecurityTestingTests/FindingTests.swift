import Foundation
import Security
import SecurityTesting
import Testing

@Suite("The findings of a virtual device")
struct FindingTests {
    private static var good: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecValueData: Data("secret".utf8),
            kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        ]
    }

    private static func item(_ extra: [CFString: Any]) -> CFDictionary {
        good.merging(extra) { _, new in new } as CFDictionary
    }

    @Test("are empty for good code")
    func nothing() throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemAdd(Self.item([:]), nil) == errSecSuccess)
            #expect(SecItemUpdate(.item, [kSecAttrLabel: "x"] as NSDictionary) == errSecItemNotFound)
            #expect(
                SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna"] as NSDictionary)
                    == errSecSuccess)
        }
        #expect(device.findings.isEmpty)
    }

    @Test("are for private keys of a program, not for certificates, public keys and keys of the enclave")
    func keys() throws {
        let device = try VirtualDevice()
        try device.run {
            let key = try #require(
                SecKeyCreateRandomKey(
                    [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256] as CFDictionary, nil)
            )
            let publicKey = try #require(SecKeyCopyPublicKey(key))
            #expect(SecItemAdd([kSecValueRef: publicKey] as NSDictionary, nil) == errSecSuccess)
            let certificate: NSDictionary = [kSecClass: kSecClassCertificate, kSecValueData: Data([1])]
            #expect(SecItemAdd(certificate, nil) == errSecSuccess)
            let enclaveKey: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            ]
            #expect(SecKeyCreateRandomKey(enclaveKey as CFDictionary, nil) != nil)
            #expect(device.findings.isEmpty)
            #expect(SecItemAdd([kSecValueRef: key] as NSDictionary, nil) == errSecSuccess)
            #expect(device.findings.map(\.kind) == [.noProtectionClass])
        }
        device.close()
    }

    @Test("name the line of an add without a protection class")
    func noProtectionClass() throws {
        let device = try VirtualDevice()
        let mail = device.app("com.example.mail", team: "A1B2C3D4E5")
        let line = #line + 1
        mail.run { _ = SecItemAdd(.item, nil) }
        let finding = try #require(device.findings.first)
        #expect(device.findings.count == 1)
        #expect(finding.kind == .noProtectionClass)
        #expect(finding.call == .add)
        #expect(finding.app == "A1B2C3D4E5.com.example.mail")
        #expect(finding.callSite?.line == line)
        #expect(finding.callSite?.file.hasSuffix("FindingTests.swift") ?? false)
        #expect(finding.description.contains("FindingTests.swift:\(line): SecItemAdd"))
        #expect(finding.advice.contains("kSecAttrAccessibleWhenUnlockedThisDeviceOnly"))
    }

    @Test("name the line inside a wrapper that makes the call")
    func wrapper() throws {
        let device = try VirtualDevice()
        let line = #line + 2
        @inline(never) func save() {
            _ = SecItemAdd(.item, nil)
            blackHole += 1
        }
        var blackHole = 0
        device.run { save() }
        #expect(blackHole == 1)
        #expect(device.findings.first?.callSite?.line == line)
    }

    @Test("flag classes that are always readable, in adds, updates and access controls")
    func always() throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemAdd(Self.item([kSecAttrAccessible: "dk"]), nil) == errSecSuccess)
            #expect(SecItemUpdate(.attributesOfAnna, [kSecAttrAccessible: "dku"] as NSDictionary) == errSecSuccess)
            let control = SecAccessControlCreateWithFlags(nil, "dk" as CFString, [], nil)
            #expect(
                SecItemUpdate(.attributesOfAnna, [kSecAttrAccessControl: control as Any] as NSDictionary)
                    == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.alwaysReadable, .alwaysReadable, .alwaysReadable])
        #expect(device.findings.map(\.call) == [.add, .update, .update])
    }

    @Test("flag deletes and updates that changed several items")
    func several() throws {
        let device = try VirtualDevice()
        device.run {
            for account in ["a", "b", "c"] {
                #expect(SecItemAdd(Self.item([kSecAttrAccount: account]), nil) == errSecSuccess)
            }
            let all: NSDictionary = [kSecClass: kSecClassGenericPassword]
            #expect(SecItemUpdate(all, [kSecAttrLabel: "x"] as NSDictionary) == errSecSuccess)
            #expect(SecItemDelete(all) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.severalItemsChanged, .severalItemsChanged])
        #expect(device.findings.allSatisfy { $0.reason.contains("3 items") })
    }

    @Test("flag secrets beyond 4 KiB", arguments: [(4096, 0), (4097, 1)])
    func oversized(count: Int, findings: Int) throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemAdd(Self.item([kSecValueData: Data(count: count)]), nil) == errSecSuccess)
            #expect(
                SecItemUpdate(.attributesOfAnna, [kSecValueData: Data(count: count)] as NSDictionary) == errSecSuccess)
        }
        #expect(device.findings.count == findings * 2)
        #expect(device.findings.allSatisfy { $0.kind == .oversizedSecret })
    }

    @Test("flag items that need a passcode where there is none")
    func missingClass() throws {
        let device = try VirtualDevice()
        let item = [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
        device.run { #expect(SecItemAdd(Self.item(item), nil) == errSecNotAvailable) }
        #expect(device.findings.map(\.kind) == [.classDoesNotExist])
        device.forgetFindings()
        try device.setPasscode("1234")
        device.run { #expect(SecItemAdd(Self.item(item), nil) == errSecSuccess) }
        #expect(device.findings.isEmpty)
    }

    @Test("leave out failures that were planned and queries that were refused")
    func refused() throws {
        let device = try VirtualDevice()
        device.failNext(.add, with: errSecNotAvailable)
        device.run {
            #expect(SecItemAdd(.item, nil) == errSecNotAvailable)
            #expect(SecItemAdd([kSecAttrAccount: "no class"] as NSDictionary, nil) == errSecParam)
        }
        #expect(device.findings.isEmpty)
    }
}

extension CFDictionary {
    fileprivate static var attributesOfAnna: CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna"] as NSDictionary
    }
}
