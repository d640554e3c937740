import CommonCrypto
import Foundation
import LatchkeyCommonCryptoFunctions
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

@Suite("Findings about CommonCrypto")
struct CryptoFindingTests {
    @Test("name the file of a call, its app, and what to call instead")
    func ecb() throws {
        let device = try VirtualDevice()
        let mail = device.install("com.example.mail", team: "A1B2C3D4E5")
        mail.run { _ = Cipher(options: kCCOptionECBMode).encrypt(.message) }
        #expect(device.findings.map(\.kind) == [.ecb])
        let finding = try #require(device.findings.first)
        #expect(finding.call == .crypt)
        #expect(finding.applicationIdentifier == "A1B2C3D4E5.com.example.mail")
        #expect(finding.callSite?.file.hasSuffix("Cipher.swift") ?? false, "\(finding)")
        #expect(finding.advice.contains("AES.GCM.seal"))
    }

    @Test("name the line in the app, through CCCrypt and through a cryptor")
    func lines() throws {
        let device = try VirtualDevice()
        device.run {
            let key = Data.drawn(32)
            var output = Data(count: 32)
            let count = output.count
            key.withUnsafeBytes { key in
                output.withUnsafeMutableBytes { output in
                    _ = CCCrypt(
                        CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode),
                        key.baseAddress, key.count, nil, key.baseAddress, key.count, output.baseAddress, count, nil)
                }
            }
        }
        let site = try #require(device.findings.first?.callSite)
        #expect(site.file.hasSuffix("CryptoFindingTests.swift") && (30...50).contains(site.line), "\(site)")
    }

    @Test("name the line in a method that the app adds to a type of Foundation or Swift")
    func extensions() throws {
        let device = try VirtualDevice()
        device.run {
            _ = Data.message.encryptedAsOnceUsual()
            _ = "attack at dawn, attack at dawn!!".encryptedAsOnceUsual()
        }
        #expect(device.findings.map(\.kind) == [.ecb, .ecb])
        let functions = device.findings.compactMap { $0.callSite?.function }
        #expect(functions.count == 2 && functions.allSatisfy { $0.contains("encryptedAsOnceUsual") }, "\(functions)")
    }

    @Test("see the messages that a cryptor encrypts one after the other, reset in between")
    func reset() throws {
        let device = try VirtualDevice()
        device.run {
            let (key, iv) = (Data.drawn(32), Data.drawn(16))
            var cryptor: CCCryptorRef?
            key.withUnsafeBytes { key in
                iv.withUnsafeBytes { iv in
                    _ = CCCryptorCreate(
                        CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), 0, key.baseAddress, key.count,
                        iv.baseAddress, &cryptor)
                }
            }
            guard let cryptor else { return }
            var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
            _ = CCCryptorUpdate(cryptor, Array(Data.message), 32, &output, 32, &moved)
            #expect(device.findings.isEmpty)
            _ = CCCryptorReset(cryptor, Array(Data.drawn(16)))
            #expect(device.findings.map(\.kind) == [.cbcWithoutAuthentication])
            CCCryptorRelease(cryptor)
        }
    }

    @Test("are quiet where the context of an HMAC is moved before it is finished")
    func movedContext() throws {
        let device = try VirtualDevice()
        device.run {
            let (key, iv) = (Data.drawn(32), Data.drawn(16))
            guard let text = Cipher(options: kCCOptionPKCS7Padding, key: key, iv: iv).encrypt(.message) else { return }
            var here = CCHmacContext()
            CCHmacInit(&here, CCHmacAlgorithm(kCCHmacAlgSHA256), Array(Data.drawn(32)), 32)
            CCHmacUpdate(&here, Array(iv + text.prefix(37)), 53)
            var there = here
            CCHmacUpdate(&there, Array(text.dropFirst(37)), text.count - 37)
            var elsewhere = there
            var code = [UInt8](repeating: 0, count: 32)
            CCHmacFinal(&elsewhere, &code)
        }
        #expect(device.findings.isEmpty, "\(device.findings)")
    }

    @Test("count every library of Latchkey as none of the app's")
    func ownModules() throws {
        let content = { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
        let modules = try content(PackageFolder.file("Sources")).flatMap(content).filter { directory in
            guard !directory.lastPathComponent.hasPrefix("latchkey") else { return false }
            let files = FileManager.default.enumerator(atPath: directory.resolvingSymlinksInPath().path)
            return files?.contains { ($0 as? String)?.hasSuffix(".swift") ?? false } ?? false
        }
        #expect(modules.count > 30)
        // The folder of a module that is not a product does without the module's prefix.
        let products = SymbolOwner.ownModules.filter { !$0.hasPrefix("Latchkey") }
        let names = modules.map(\.lastPathComponent).map { products.contains($0) ? $0 : "Latchkey" + $0 }
        #expect(Set(names) == SymbolOwner.ownModules)
    }

    @Test("know whose function it is by the module that extends a type, not by the type's")
    func owners() {
        let table: [(String, String?, Bool)] = [
            ("$s8Security10SecItemAddyyF", "Security", true), ("$s5MyApp1fyyF", "MyApp", false),
            ("$s20FoundationEssentials4DataV1fyyF", "FoundationEssentials", true),
            ("$s20FoundationEssentials4DataV5MyAppE1fyyF", "MyApp", false), ("$sSS5MyAppE1fyyF", "MyApp", false),
            ("$s20FoundationEssentials4DataV5MyAppE1fyyFyyXEfU_", "MyApp", false),
            ("$sSS7LockboxE1fyyF", "Lockbox", true), ("$sSS1fyyF", "Swift", false), ("CCHmac", nil, true),
            ("main", nil, false), ("$s", nil, false), ("$s99f", "f", false),
        ]
        for (mangled, module, isOurs) in table {
            #expect(SymbolOwner.module(mangled).map(String.init) == module, "\(mangled)")
            #expect(SymbolOwner.isOurs(mangled) == isOurs, "\(mangled)")
        }
    }

    @Test("are one for each place, however often it is run")
    func loops() throws {
        let device = try VirtualDevice()
        device.run { for _ in 0..<20 { _ = Cipher(options: kCCOptionECBMode).encrypt(.message) } }
        #expect(device.findings.map(\.kind) == [.ecb])
        device.forgetFindings()
        #expect(device.findings.isEmpty)
        device.run { _ = Cipher(options: kCCOptionECBMode).encrypt(.message) }
        #expect(device.findings.map(\.kind) == [.ecb])
    }

    @Test("tell ciphers, keys and first blocks apart")
    func table() throws {
        let iv = Data.drawn(16)
        let table: [(Cipher, [Finding.Kind])] = [
            (Cipher(mode: kCCModeCTR, key: .drawn(32), iv: iv), []),
            (Cipher(algorithm: kCCAlgorithmDES, mode: kCCModeCTR, key: .drawn(8), iv: iv), [.deadCipher]),
            (Cipher(algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, key: .drawn(16)), [.deadCipher]),
            (Cipher(mode: kCCModeCTR, key: Data("0123456789abcdef".utf8), iv: iv), [.textKey]),
            (Cipher(mode: kCCModeCTR, key: Data("secret".utf8) + Data(count: 10), iv: iv), [.textKey, .shortKey]),
            (Cipher(mode: kCCModeCBC, key: .drawn(32)), [.missingIV, .cbcWithoutAuthentication]),
            (Cipher(mode: kCCModeCBC, key: .drawn(32), iv: Data(count: 16)), [.missingIV, .cbcWithoutAuthentication]),
            (Cipher(mode: kCCModeCBC, key: .drawn(32), iv: iv), [.cbcWithoutAuthentication]),
        ]
        for (cipher, kinds) in table {
            let device = try VirtualDevice()
            device.run { #expect(cipher.encryptWithCryptor(.message) != nil) }
            #expect(device.findings.map(\.kind) == kinds, "\(cipher)")
        }
    }

    @Test("see a key of a length that is refused")
    func refusedKey() throws {
        let device = try VirtualDevice()
        device.run { #expect(Cipher(options: kCCOptionECBMode, key: .drawn(10)).encrypt(.message) == nil) }
        #expect(device.findings.map(\.kind) == [.ecb, .shortKey])
    }

    @Test("see the same key and IV used twice, and not a decryption")
    func repeatedIV() throws {
        let device = try VirtualDevice()
        let cipher = Cipher(mode: kCCModeCTR, key: .drawn(32), iv: .drawn(16))
        try device.run {
            let once = try #require(cipher.encryptWithCryptor(.message))
            // CTR decrypts with the same call.
            #expect(cipher.encryptWithCryptor(once) == .message)
            #expect(device.findings.isEmpty)
            _ = cipher.encryptWithCryptor(.drawn(32))
        }
        #expect(device.findings.map(\.kind) == [.repeatedIV])
    }

    @Test("see a broken digest of what the keychain holds, and text as the key of a code")
    func secrets() throws {
        let device = try VirtualDevice()
        device.run {
            let secret = Array("correct horse".utf8)
            var output = [UInt8](repeating: 0, count: 32)
            _ = CC_SHA1(secret, CC_LONG(secret.count), &output)
            #expect(device.findings.isEmpty)
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "mail", kSecValueData: Data(secret),
                kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            _ = CC_SHA1(secret, CC_LONG(secret.count), &output)
            CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), secret, secret.count, secret, secret.count, &output)
        }
        #expect(device.findings.map(\.kind) == [.weakDigest, .textHMACKey])
        #expect(device.findings.map(\.call) == [.digest, .messageAuthentication])
        #expect(device.findings.allSatisfy { $0.callSite?.file.hasSuffix("CryptoFindingTests.swift") ?? false })
    }

    @Test("look at keys from passwords")
    func derivation() throws {
        let device = try VirtualDevice()
        device.run {
            derive(CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1), salt: .drawn(8), rounds: 1000)
        }
        #expect(device.findings.map(\.kind) == [.derivationWithSHA1, .fewRounds, .shortSalt])
        #expect(device.findings.allSatisfy { $0.call == .keyDerivation })
    }

    @Test("are quiet where HMAC over header, IV and ciphertext is written and checked")
    func encryptThenAuthenticate() throws {
        let device = try VirtualDevice()
        try device.run {
            let box = AuthenticatedBox(encryptionKey: .drawn(32), hmacKey: .drawn(32))
            let message = try #require(box.seal(.message, iv: .drawn(16)))
            #expect(box.open(message) == .message)
            #expect(box.openInPieces(message) == .message)
        }
        #expect(device.findings.isEmpty, "\(device.findings)")
    }

    @Test("want the code before the text")
    func decryptFirst() throws {
        let device = try VirtualDevice()
        let box = AuthenticatedBox(encryptionKey: .drawn(32), hmacKey: .drawn(32))
        let message = try #require(box.seal(.message, iv: .drawn(16)))
        device.run { #expect(box.openTooEarly(message) == .message) }
        #expect(device.findings.map(\.kind) == [.cbcWithoutAuthentication])
    }

    @Test("belong to the device whose app made the call, also of tests that run beside each other")
    func devices() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let device = try VirtualDevice()
                    // The same key and IV on all devices: each sees its own use alone.
                    let cipher = Cipher(
                        mode: kCCModeCTR, key: Data((0x80..<0xA0).map { UInt8($0) }),
                        iv: Data((0x80..<0x90).map { UInt8($0) }))
                    await device.run {
                        _ = cipher.encryptWithCryptor(.message)
                        await Task.yield()
                        if number % 2 == 0 { _ = cipher.encryptWithCryptor(.drawn(32)) }
                    }
                    #expect(device.findings.map(\.kind) == (number % 2 == 0 ? [.repeatedIV] : []))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("leave out what no app did")
    func outside() throws {
        let device = try VirtualDevice()
        _ = Cipher(options: kCCOptionECBMode).encrypt(.message)
        #expect(device.findings.isEmpty)
    }

    @Test("come in the order of the calls, those of the keychain among them")
    func order() throws {
        let device = try VirtualDevice()
        device.run {
            _ = Cipher(options: kCCOptionECBMode).encrypt(.message)
            _ = SecItemAdd(.item, nil)
            derive(CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), salt: Data(), rounds: 600_000)
        }
        #expect(device.findings.map(\.kind) == [.ecb, .noProtectionClass, .shortSalt])
    }
}

extension Data {
    fileprivate func encryptedAsOnceUsual() -> Bool {
        var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
        return CCCrypt(
            CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode), Array(Data.drawn(32)),
            32,
            nil, Array(self), 32, &output, 32, &moved) == kCCSuccess
    }
}

extension String {
    fileprivate func encryptedAsOnceUsual() -> Bool {
        var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
        return CCCrypt(
            CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode), Array(Data.drawn(32)),
            32,
            nil, Array(utf8), 32, &output, 32, &moved) == kCCSuccess
    }
}
