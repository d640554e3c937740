import CommonCrypto
import Dispatch
import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Apps on a virtual device")
struct AppTests {
    @Test("call the keychain as themselves, also from child tasks")
    func childTasks() async throws {
        let device = try VirtualDevice()
        let mail = device.install("com.example.mail")
        await mail.run {
            await withTaskGroup(of: OSStatus.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        SecItemAdd(
                            [kSecClass: kSecClassGenericPassword, kSecAttrAccount: "\(number)"] as NSDictionary, nil)
                    }
                }
                for await status in group { #expect(status == errSecSuccess) }
            }
        }
        #expect(try device.status.itemCounts[.genericPassword] == 20)
        device.install("com.example.other").run { #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound) }
    }

    @Test("on two devices do not meet")
    func twoDevices() throws {
        let one = try VirtualDevice()
        let two = try VirtualDevice()
        one.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        two.run { #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound) }
        one.run {
            two.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
            #expect(SecItemAdd(.item, nil) == errSecDuplicateItem)
        }
    }

    @Test("give back what their code returns and throws")
    func results() async throws {
        struct Oops: Error {}
        let device = try VirtualDevice()
        #expect(device.run { 5 } == 5)
        #expect(throws: Oops.self) { try device.run { throw Oops() } }
        #expect(
            await device.run {
                await Task.yield()
                return "x"
            } == "x")
    }

    @Test("leave their items behind when they are removed, or not", arguments: VirtualDevice.Backend.allCases)
    func uninstall(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let mail = device.install("com.example.mail")
        mail.run { #expect(SecItemAdd(.item, nil) == errSecSuccess) }
        try device.uninstall(mail)
        let again = device.install("com.example.mail")
        again.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
        try device.uninstall(again, removingItems: true)
        device.install("com.example.mail").run { #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound) }
        device.close()
    }

    @Test("take every kind of item with them, and leave those of others", arguments: VirtualDevice.Backend.allCases)
    func uninstallOfEverything(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let mail = device.install("com.example.mail", keychainAccessGroups: ["shared"])
        let other = device.install("com.example.other", keychainAccessGroups: ["shared"])
        let enclaveKey = try mail.run {
            for (itemClass, name) in [(kSecClassGenericPassword, "genp"), (kSecClassInternetPassword, "inet")] {
                for isSynchronizable in [true, false] {
                    let item: [CFString: Any] = [
                        kSecClass: itemClass, kSecAttrAccount: name, kSecAttrSynchronizable: isSynchronizable,
                        kSecAttrAccessGroup: mail.accessGroups[1],
                    ]
                    #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
                }
            }
            let certificate: [CFString: Any] = [
                kSecClass: kSecClassCertificate, kSecValueData: Data([1]), kSecAttrAccessGroup: mail.accessGroups[1],
            ]
            #expect(SecItemAdd(certificate as CFDictionary, nil) == errSecSuccess)
            let software: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrIsPermanent: true, kSecAttrAccessGroup: mail.accessGroups[1],
            ]
            #expect(SecKeyCreateRandomKey(software as CFDictionary, nil) != nil)
            let enclave = software.merging([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]) { $1 }
            let shared: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "shared", kSecAttrAccessGroup: "shared",
            ]
            #expect(SecItemAdd(shared as CFDictionary, nil) == errSecSuccess)
            return try #require(SecKeyCreateRandomKey(enclave as CFDictionary, nil))
        }
        #expect(try device.status.itemCounts[.key] == 4)
        try device.uninstall(mail, removingItems: true)
        let counts = try device.status.itemCounts.filter { $0.value > 0 }
        #expect(counts == [.genericPassword: 1])
        // The key in the enclave ended with its item.
        mail.run {
            #expect(
                SecKeyCreateSignature(
                    enclaveKey, .ecdsaSignatureMessageX962SHA256, Data("m".utf8) as CFData, nil) == nil)
        }
        other.run {
            let shared: NSDictionary = [kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: "shared"]
            #expect(SecItemCopyMatching(shared, nil) == errSecSuccess)
        }
        device.close()
    }

    @Test("get the failure that the test planned, once, and the device sees nothing of it")
    func plannedFailures() throws {
        let device = try VirtualDevice()
        device.failNext(.add, with: errSecInteractionNotAllowed)
        device.failNext(.copyMatching, with: errSecMissingEntitlement, times: 2)
        device.failNext(.update, with: -1)
        device.failNext(.delete, with: errSecAuthFailed)
        device.run {
            #expect(SecItemAdd(.item, nil) == errSecInteractionNotAllowed)
            #expect(SecItemCopyMatching(.item, nil) == errSecMissingEntitlement)
            #expect(SecItemCopyMatching(.item, nil) == errSecMissingEntitlement)
            #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound)
            #expect(SecItemAdd(.item, nil) == errSecSuccess)
            #expect(SecItemUpdate(.item, NSDictionary()) == -1)
            #expect(SecItemUpdate(.item, NSDictionary()) == errSecSuccess)
            #expect(SecItemDelete(.item) == errSecAuthFailed)
            #expect(SecItemDelete(.item) == errSecSuccess)
        }
    }

    @Test("are counted with their items by class, also where there are none")
    func itemCounts() throws {
        let device = try VirtualDevice()
        let none = VirtualDevice.ItemClass.allCases.map { ($0, 0) }
        #expect(try device.status.itemCounts == Dictionary(uniqueKeysWithValues: none))
        device.run {
            let password: NSDictionary = [kSecClass: kSecClassInternetPassword, kSecAttrAccount: "anna"]
            #expect(SecItemAdd(password, nil) == errSecSuccess)
            let certificate: NSDictionary = [kSecClass: kSecClassCertificate, kSecValueData: Data([1])]
            #expect(SecItemAdd(certificate, nil) == errSecSuccess)
        }
        let counts = try device.status.itemCounts
        #expect(counts == [.genericPassword: 0, .internetPassword: 1, .certificate: 1, .key: 0])
    }

    @Test("get planned failures in their order")
    func plannedInOrder() throws {
        let device = try VirtualDevice()
        device.failNext(.add, with: errSecIO)
        device.failNext(.add, with: errSecDiskFull)
        device.run {
            #expect(SecItemAdd(.item, nil) == errSecIO)
            #expect(SecItemAdd(.item, nil) == errSecDiskFull)
            #expect(SecItemAdd(.item, nil) == errSecSuccess)
        }
    }
}

/// Serialised, because one app is current for the whole process.
@Suite("The current app of the process", .serialized)
struct CurrentAppTests {
    @Test("calls from a queue, and steps back for an app of its own")
    func queues() async throws {
        let device = try VirtualDevice()
        let mail = device.install("com.example.mail")
        mail.makeCurrent()
        defer { device.resignCurrent() }
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: SecItemAdd(.item, nil)) }
        }
        #expect(status == errSecSuccess)
        mail.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
        device.install("com.example.other").run { #expect(SecItemCopyMatching(.item, nil) == errSecItemNotFound) }
    }

    @Test("stays current when another device resigns")
    func others() throws {
        let device = try VirtualDevice()
        let other = try VirtualDevice()
        device.makeCurrent()
        other.resignCurrent()
        other.close()
        #expect(SecItemAdd(.item, nil) == errSecSuccess)
        device.run { #expect(SecItemCopyMatching(.item, nil) == errSecSuccess) }
        device.resignCurrent()
    }

    @Test("has findings about what its code on a queue asks of CommonCrypto")
    func findings() async throws {
        let device = try VirtualDevice()
        device.makeCurrent()
        defer { device.resignCurrent() }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = Cipher(algorithm: kCCAlgorithmDES, options: kCCOptionECBMode, key: .drawn(8)).encrypt(.message)
                continuation.resume()
            }
        }
        // Other tests may run beside this one, in no app.
        #expect(device.findings.contains { $0.kind == .deadCipher })
    }
}
