import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@testable import Security

/// Reference 9.2.
@Suite("Making key pairs")
struct KeyCreationTests {
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        let parameters: [CFString: Any]
        /// Bits; nil: -50.
        let size: Int?

        init(_ parameters: [CFString: Any], _ size: Int?) {
            self.parameters = parameters
            self.size = size
        }

        var testDescription: String { "\(parameters.map { "\($0.key): \($0.value)" }.sorted()) -> \(size as Any)" }
    }

    static let table: [Row] = [
        Row([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 192], 192),
        Row([kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 224], 224),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256], 256),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: "256"], 256),
        Row([kSecAttrKeyType: "73", kSecAttrKeySizeInBits: 256 as NSNumber], 256),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 384], 384),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 521], 521),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 512], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 0], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: -256], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: "many"], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: Data([1])], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256.5], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 512], 512),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024], 1024),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: "1024"], 1024),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 511], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 8193], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1_000_000], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: Int64.max], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: UInt64.max], nil),
        Row([kSecAttrKeySizeInBits: 256], nil),
        Row([:], nil),
        Row([kSecAttrKeyType: 73, kSecAttrKeySizeInBits: 256], nil),
        Row([kSecAttrKeyType: "073", kSecAttrKeySizeInBits: 256], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeDSA, kSecAttrKeySizeInBits: 1024], nil),
        Row([kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeySizeInBits: 256], nil),
        // Type and size count at the top level only.
        Row([kSecPrivateKeyAttrs: [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]], nil),
        Row(
            [
                kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256,
                kSecPrivateKeyAttrs: [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024],
            ], 256),
        Row([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: "none"], 256),
    ]

    @Test("type and size decide what is made", arguments: table)
    func kinds(row: Row) throws {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(row.parameters as CFDictionary, &error)
        guard let size = row.size else {
            #expect(key == nil)
            let error = try #require(error?.takeRetainedValue())
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == -50)
            #expect(error.localizedFailureReason?.isEmpty == false)
            #expect(SecKeyCreateRandomKey(row.parameters as CFDictionary, nil) == nil)
            return
        }
        #expect(error == nil)
        let attributes = try #require(key.flatMap(SecKeyCopyAttributes) as? [CFString: Any])
        #expect(attributes[kSecAttrKeySizeInBits] as? Int == size)
        #expect(attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPrivate as String)
    }

    @available(*, deprecated)
    @Test("a text that is not well-formed is refused, wherever it stands")
    func illFormedText() throws {
        let text = LoneSurrogate.text()
        let base: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]
        let dictionaries: [[CFString: Any]] = [
            [kSecAttrLabel: text], [kSecPrivateKeyAttrs: [kSecAttrApplicationTag: text]],
            [kSecPublicKeyAttrs: [kSecAttrLabel: text]], [kSecAttrKeyType: text], [kSecAttrTokenID: text],
        ]
        for dictionary in dictionaries {
            var error: Unmanaged<CFError>?
            let parameters = base.merging(dictionary) { $1 } as CFDictionary
            #expect(SecKeyCreateRandomKey(parameters, &error) == nil)
            #expect(error?.takeRetainedValue().code == Int(errSecParam))
            #expect(SecKeyGeneratePair(parameters, nil, nil) == errSecParam)
        }
        let data = try #require(SecKeyCopyExternalRepresentation(TestKeys.p256, nil))
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: text,
        ]
        #expect(SecKeyCreateWithData(data, attributes as CFDictionary, nil) == nil)
    }

    @Test("no two keys are the same")
    func random() {
        #expect(TestKeys.p256 != TestKeys.otherP256)
        #expect(TestKeys.rsa != TestKeys.otherRSA)
    }

    @available(*, deprecated)
    @Test("a pair is given to a caller with a place for it")
    func pair() throws {
        let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]
        var publicKey: SecKey?
        var privateKey: SecKey?
        #expect(SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
        #expect(try SecKeyCopyPublicKey(#require(privateKey)) == publicKey)
        #expect(SecKeyGeneratePair(parameters as CFDictionary, nil, nil) == errSecSuccess)
        var onlyPublic: SecKey?
        #expect(SecKeyGeneratePair(parameters as CFDictionary, &onlyPublic, nil) == errSecSuccess)
        #expect(onlyPublic.map { SecKeyIsAlgorithmSupported($0, .verify, .ecdsaSignatureDigestX962) } == true)
        var untouched: SecKey? = publicKey
        #expect(SecKeyGeneratePair([:] as CFDictionary, &untouched, nil) == errSecParam)
        #expect(untouched == publicKey)
    }

    // MARK: Items

    private func stored(_ parameters: [CFString: Any]) throws -> (keychain: EnclaveKeychain, key: SecKey) {
        let keychain = EnclaveKeychain()
        var all: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]
        all.merge(parameters) { $1 }
        let key = try #require(keychain.whileCurrent { SecKeyCreateRandomKey(all as CFDictionary, nil) })
        return (keychain, key)
    }

    @Test("keys become items only where that is asked for, the public one first")
    func permanent() throws {
        let table: [([CFString: Any], [Int64])] = [
            ([:], []), ([kSecAttrIsPermanent: true], [0, 1]), ([kSecAttrIsPermanent: false], []),
            ([kSecAttrIsPermanent: 1], []), ([kSecAttrIsPermanent: "yes"], []),
            ([kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true]], [1]),
            ([kSecPublicKeyAttrs: [kSecAttrIsPermanent: true]], [0]),
            ([kSecAttrIsPermanent: true, kSecPublicKeyAttrs: [kSecAttrIsPermanent: false]], [1]),
            ([kSecAttrIsPermanent: true, kSecPrivateKeyAttrs: [kSecAttrIsPermanent: kCFBooleanFalse!]], [0]),
            (
                [kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true], kSecPublicKeyAttrs: [kSecAttrIsPermanent: true]],
                [0, 1]
            ),
        ]
        for (parameters, classes) in table {
            let (keychain, _) = try stored(parameters)
            #expect(keychain.itemRequests.map(\.operation) == classes.map { _ in .add }, "\(parameters)")
            #expect(keychain.itemRequests.map { $0.queryByName["kcls"] } == classes.map { .integer($0) })
        }
    }

    @Test("an item has the merged attributes of its half, over those of its key")
    func merged() throws {
        let (keychain, key) = try stored([
            kSecAttrIsPermanent: true, kSecAttrLabel: "both", kSecAttrAccessGroup: "group", kSecAttrCanSign: false,
            kSecPrivateKeyAttrs: [kSecAttrApplicationTag: Data([1]), kSecAttrLabel: "private"] as [CFString: Any],
            kSecPublicKeyAttrs: [kSecAttrApplicationTag: "public"],
        ])
        try #require(keychain.itemRequests.count == 2)
        let (ofPublic, ofPrivate) = (keychain.itemRequests[0], keychain.itemRequests[1])
        #expect(ofPublic.queryByName["labl"] == .string("both"))
        #expect(ofPublic.queryByName["atag"] == .string("public"))
        #expect(ofPrivate.queryByName["labl"] == .string("private"))
        #expect(ofPrivate.queryByName["atag"] == .data([1]))
        for request in keychain.itemRequests {
            let values = request.queryByName
            #expect(values.count == request.query.count)
            #expect(values["class"] == .string("keys"))
            #expect(values["agrp"] == .string("group"))
            #expect(values["sign"] == .boolean(false))
            #expect(values["klbl"] == .data(key.publicKey.digest))
            #expect(values["type"] == .integer(73))
            #expect(values["bsiz"] == .integer(256))
            #expect(values["perm"] == .integer(1))
            #expect(values["private"] == nil && values["public"] == nil && values["v_Ref"] == nil)
            #expect(values["v_Data"] == .secret(0))
        }
        let representation = try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
        #expect(ofPrivate.secrets.map(\.bytesForTests) == [[UInt8](representation)])
        #expect(ofPublic.secrets.map(\.bytesForTests) == [[UInt8](representation.prefix(65))])
    }

    @available(*, deprecated)
    @Test(
        "where storing fails there is no key, and the error is that of the add",
        arguments: [ResultCode.missingEntitlement, .duplicateItem, .interactionNotAllowed])
    func storingFails(code: ResultCode) throws {
        let keychain = EnclaveKeychain()
        keychain.answerItems(
            ItemReply(code: code, refusal: Refusal(ruleName: "the-rule", reason: "The reason.", advice: "The advice.")))
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256, kSecAttrIsPermanent: true,
        ]
        var error: Unmanaged<CFError>?
        #expect(keychain.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, &error) } == nil)
        let thrown = try #require(error?.takeRetainedValue())
        #expect(thrown.code == Int(code.rawValue))
        #expect(thrown.localizedFailureReason == "The reason.")
        #expect(thrown.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String == "The advice.")
        // The public half failed: the private one was not tried.
        #expect(keychain.itemRequests.count == 1)
        var publicKey: SecKey?
        let status = keychain.whileCurrent { SecKeyGeneratePair(parameters as CFDictionary, &publicKey, nil) }
        #expect(status == code.rawValue)
        #expect(publicKey == nil)
    }
}
