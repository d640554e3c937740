import CoreFoundation
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Security
import Testing

/// Code as it is written for Apple platforms, unchanged. That it compiles is half of each test.
@Suite("Code about keys written for Apple platforms")
struct KeyIdiomTests {
    private func sign(_ data: Data, with key: SecKey) throws -> Data {
        var error: Unmanaged<CFError>?
        guard let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data as CFData, &error)
        else {
            throw error!.takeRetainedValue() as any Error
        }
        return signature as Data
    }

    @Test("signing with a guard, and an error that is thrown")
    func guarded() throws {
        let key = TestKeys.p256
        let signature = try sign(Data([1]), with: key)
        guard let publicKey = SecKeyCopyPublicKey(key) else {
            Issue.record("no public key")
            return
        }
        guard SecKeyIsAlgorithmSupported(publicKey, .verify, .ecdsaSignatureMessageX962SHA256) else {
            Issue.record("not supported")
            return
        }
        var error: Unmanaged<CFError>?
        guard
            SecKeyVerifySignature(
                publicKey, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, signature as CFData, &error)
        else { throw error!.takeRetainedValue() as any Error }
        do {
            _ = try sign(Data([1]), with: TestKeys.rsa)
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.code == Int(errSecParam))
        }
    }

    @Test("a key is made from dictionaries in dictionaries")
    func creation() throws {
        let tag = "com.example.keys.mykey".data(using: .utf8)!
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 1024,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: false, kSecAttrApplicationTag as String: tag,
            ] as [String: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let privateKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
            throw error!.takeRetainedValue() as any Error
        }
        let publicKey = SecKeyCopyPublicKey(privateKey)!
        let algorithm: SecKeyAlgorithm = .rsaEncryptionOAEPSHA256
        #expect(SecKeyIsAlgorithmSupported(publicKey, .encrypt, algorithm))
        #expect("plain".utf8.count < (SecKeyGetBlockSize(publicKey) - 66))
        let cipher = SecKeyCreateEncryptedData(publicKey, algorithm, Data("plain".utf8) as CFData, &error) as Data?
        let clear = SecKeyCreateDecryptedData(privateKey, algorithm, cipher! as CFData, &error) as Data?
        #expect(clear.map { String(decoding: $0, as: UTF8.self) } == "plain")
        #expect(error == nil)
    }

    @Test("a found key is cast as everybody casts it")
    func casts() throws {
        let data = SecKeyCopyExternalRepresentation(TestKeys.p256, nil)! as Data
        let keychain = RecordingKeychain(
            result: ItemObject.key(keyClass: 1, type: 73, dataSecret: 0).value, secrets: [[UInt8](data)])
        keychain.whileCurrent { () -> Void in
            let query: [String: Any] = [
                kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: Data("tag".utf8),
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecReturnRef as String: true,
            ]
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else {
                Issue.record("not found")
                return
            }
            let key = item as! SecKey
            #expect(key == TestKeys.p256)
            #expect(item as! SecKey? == TestKeys.p256)
            guard let item, CFGetTypeID(item) == SecKeyGetTypeID() else {
                Issue.record("no key")
                return
            }
            if let key = item as? SecKey { #expect(key === item) } else { Issue.record("no cast") }
            #expect(item as? SecCertificate == nil)
        }
    }

    @Test("the parameters of an exchange may be written in every way")
    func exchange() throws {
        let peer = SecKeyCopyPublicKey(TestKeys.otherP256)!
        let algorithm = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
        let texts: [String: Any] = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info".utf8),
        ]
        let named: [CFString: Any] = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue: 32,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data("info".utf8) as CFData,
        ]
        let typed: [SecKeyKeyExchangeParameter: Any] = [.requestedSize: 32, .sharedInfo: Data("info".utf8)]
        var error: Unmanaged<CFError>?
        let secrets = [texts as CFDictionary, named as CFDictionary, typed as CFDictionary].map {
            SecKeyCopyKeyExchangeResult(TestKeys.p256, algorithm, peer, $0, &error) as Data?
        }
        #expect(secrets[0]?.count == 32)
        #expect(Set(secrets).count == 1)
        #expect(error == nil)
    }

    @Test("attributes are read by constants and by texts")
    func attributes() throws {
        let attributes = SecKeyCopyAttributes(TestKeys.p256) as? [CFString: Any]
        #expect(attributes?[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom as String)
        #expect((attributes?[kSecAttrKeyType] as! CFString) == kSecAttrKeyTypeEC)
        let texts = SecKeyCopyAttributes(TestKeys.p256) as! [String: Any]
        #expect(texts[kSecAttrKeySizeInBits as String] as? Int == 256)
        #expect(texts[kSecAttrCanSign as String] as? Bool == true)
        let dictionary = SecKeyCopyAttributes(TestKeys.p256)! as NSDictionary
        #expect(dictionary[kSecAttrKeyClass] as? NSString == kSecAttrKeyClassPrivate)
    }

    @Test("the bytes of a key are copied out of a pointer that stays the caller's")
    func bytesOfOthers() throws {
        let representation = [UInt8](SecKeyCopyExternalRepresentation(TestKeys.p256, nil)! as Data)
        let key = representation.withUnsafeBufferPointer { buffer in
            let data = CFDataCreateWithBytesNoCopy(nil, buffer.baseAddress, buffer.count, kCFAllocatorNull)!
            return SecKeyCreateWithData(
                data,
                [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
                    as CFDictionary, nil)
        }
        #expect(key == TestKeys.p256)
    }

    @Test("results may be left unused")
    func unused() {
        SecKeyCopyPublicKey(TestKeys.p256)
        SecKeyGetTypeID()
        SecKeyCopyAttributes(TestKeys.p256)
        SecKeyGetBlockSize(TestKeys.p256)
        SecKeyCopyExternalRepresentation(TestKeys.p256, nil)
        SecKeyIsAlgorithmSupported(TestKeys.p256, .sign, .rsaSignatureRaw)
        #expect(String(describing: SecKeyAlgorithm.rsaSignatureRaw.rawValue) == "algid:sign:RSA:raw")
    }

    @Test("keys may be used from several tasks at once")
    func tasks() async {
        let key = TestKeys.p256
        let all = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<16 {
                group.addTask {
                    let data = Data([UInt8(index)]) as CFData
                    guard let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, data, nil),
                        let publicKey = SecKeyCopyPublicKey(key)
                    else { return false }
                    return SecKeyVerifySignature(
                        publicKey, .ecdsaSignatureMessageX962SHA256, data, signature, nil)
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(all == [Bool](repeating: true, count: 16))
    }
}
