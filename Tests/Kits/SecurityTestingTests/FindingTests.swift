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
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
        let line = #line + 1
        mail.run { _ = SecItemAdd(.item, nil) }
        let finding = try #require(device.findings.first)
        #expect(device.findings.count == 1)
        #expect(finding.kind == .noProtectionClass)
        #expect(finding.call == .add)
        #expect(finding.applicationIdentifier == "A1B2C3D4E5.com.example.mail")
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

    @Test("flag synchronizable items that never leave the device")
    func synchronizable() throws {
        let device = try VirtualDevice()
        device.run {
            let local = Self.item([kSecAttrSynchronizable: true])
            #expect(SecItemAdd(local, nil) == errSecSuccess)
            let query: NSDictionary = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecAttrSynchronizable: true,
            ]
            #expect(SecItemUpdate(query, [kSecAttrAccessible: "ck"] as NSDictionary) == errSecSuccess)
            #expect(SecItemUpdate(query, [kSecAttrLabel: "x"] as NSDictionary) == errSecSuccess)
            #expect(SecItemUpdate(query, [kSecAttrAccessible: "cku"] as NSDictionary) == errSecSuccess)
            let certificate: NSDictionary = [
                kSecClass: kSecClassCertificate, kSecValueData: Data([1]), kSecAttrSynchronizable: true,
                kSecAttrAccessible: "dku",
            ]
            #expect(SecItemAdd(certificate, nil) == errSecSuccess)
            #expect(SecItemAdd(Self.item([kSecAttrAccount: "local"]), nil) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == Array(repeating: .synchronizableThisDeviceOnly, count: 3))
        #expect(device.findings.map(\.call) == [.add, .update, .add])
    }

    @Test("flag a limit in a delete, which iOS refuses")
    func limitInDelete() throws {
        let device = try VirtualDevice()
        device.run {
            #expect(SecItemAdd(Self.item([:]), nil) == errSecSuccess)
            let query: NSDictionary = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "anna", kSecMatchLimit: kSecMatchLimitAll,
            ]
            #expect(SecItemDelete(query) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.limitInDelete])
        #expect(device.findings.first?.call == .delete)
    }

    @Test("flag a search for one item that several fit", arguments: VirtualDevice.Backend.allCases)
    func oneOfSeveral(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        device.run {
            for account in ["a", "b"] {
                #expect(SecItemAdd(Self.item([kSecAttrAccount: account, kSecAttrService: "s"]), nil) == errSecSuccess)
            }
            var result: CFTypeRef?
            let vague: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecReturnData: true]
            let notVague: [[CFString: Any]] = [
                vague.merging([kSecAttrAccount: "a"]) { $1 },
                vague.merging([kSecAttrAccount: "a", kSecAttrService: "s"]) { $1 },
                vague.merging([kSecMatchLimit: kSecMatchLimitAll]) { $1 },
                vague.merging([kSecMatchLimit: 2]) { $1 },
                // A question for any item.
                [kSecClass: kSecClassGenericPassword],
            ]
            for query in notVague {
                #expect(SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
            }
            #expect(device.findings.isEmpty)
            #expect(SecItemCopyMatching(vague as CFDictionary, &result) == errSecSuccess)
            let one = vague.merging([kSecMatchLimit: kSecMatchLimitOne, kSecAttrService: "s"]) { $1 }
            #expect(SecItemCopyMatching(one as CFDictionary, &result) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.oneOfSeveral, .oneOfSeveral])
        #expect(device.findings.allSatisfy { $0.call == .copyMatching && $0.advice.contains("kSecMatchLimitAll") })
        device.close()
    }

    @Test("flag a second key under one name, and say which function made it")
    func severalKeys() throws {
        let device = try VirtualDevice()
        func make(_ name: [CFString: Any], _ more: [CFString: Any] = [:]) {
            let parameters: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
                kSecPrivateKeyAttrs: name.merging([kSecAttrIsPermanent: true]) { $1 },
            ]
            #expect(SecKeyCreateRandomKey(parameters.merging(more) { $1 } as CFDictionary, nil) != nil)
        }
        device.run {
            make([kSecAttrApplicationTag: "login"])
            make([kSecAttrApplicationTag: "other", kSecAttrLabel: "l"])
            make([kSecAttrApplicationTag: "third", kSecAttrLabel: "l"])
            #expect(device.findings.isEmpty)
            make([kSecAttrApplicationTag: "login"], [kSecAttrKeySizeInBits: 384])
            #expect(device.findings.map(\.kind) == [.severalKeysUnderOneName])
            device.forgetFindings()
            make([kSecAttrLabel: "l"])
            make([:])
        }
        #expect(device.findings.map(\.kind) == [.severalKeysUnderOneName])
        #expect(device.findings.first?.call == .createRandomKey)
        #expect(device.findings.first?.reason.contains("kSecAttrLabel") ?? false)
    }

    @Test("flag an item without a group in an app with several")
    func noAccessGroup() throws {
        let device = try VirtualDevice()
        let one = device.install("com.example.one")
        let several = device.install("com.example.several", keychainAccessGroups: ["first", "second"])
        one.run { #expect(SecItemAdd(Self.item([:]), nil) == errSecSuccess) }
        several.run {
            #expect(SecItemAdd(Self.item([kSecAttrAccessGroup: "second"]), nil) == errSecSuccess)
            #expect(device.findings.isEmpty)
            #expect(SecItemAdd(Self.item([:]), nil) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == [.noAccessGroup])
        #expect(device.findings.first?.reason.contains("first") ?? false)
    }

    @Test("name the function that was really called")
    @available(*, deprecated)
    func functions() throws {
        let device = try VirtualDevice()
        try device.run {
            let parameters: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrAccessible: "dk",
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false],
            ]
            var key: SecKey?
            let line = #line + 1
            let status = SecKeyGeneratePair(parameters as CFDictionary, nil, &key)
            #expect(status == errSecSuccess)
            #expect(device.findings.map(\.kind) == [.alwaysReadable])
            #expect(device.findings.first?.call == .generatePair)
            #expect(device.findings.first?.callSite?.line == line)
            #expect(device.findings.first?.description.contains("SecKeyGeneratePair by") ?? false)
            device.forgetFindings()
            let software: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true],
            ]
            #expect(SecKeyGeneratePair(software as CFDictionary, nil, nil) == errSecSuccess)
            #expect(SecKeyCreateRandomKey(software as CFDictionary, nil) != nil)
            let item: NSDictionary = [
                kSecValueRef: try #require(
                    SecKeyCreateRandomKey(
                        [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256] as CFDictionary,
                        nil))
            ]
            #expect(SecItemAdd(item, nil) == errSecSuccess)
        }
        #expect(device.findings.map(\.kind) == Array(repeating: .noProtectionClass, count: 3))
        #expect(device.findings.map(\.call) == [.generatePair, .createRandomKey, .add])
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
