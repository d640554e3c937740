import Foundation
import Security
import SecurityTesting
import Testing

extension Scene {
    /// A key of the program's own.
    func newKey(_ type: CFString = kSecAttrKeyTypeECSECPrimeRandom, _ bits: Int = 256) throws -> SecKey {
        try makeKey([kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits])
    }

    func makeKey(_ parameters: [CFString: Any], _ location: SourceLocation = #_sourceLocation) throws -> SecKey {
        var error: Unmanaged<CFError>?
        let key = app.run { SecKeyCreateRandomKey(parameters as CFDictionary, &error) }
        let reason = error.map { "\($0.takeRetainedValue())" } ?? ""
        return try #require(key, "\(row.testDescription): no key: \(reason)", sourceLocation: location)
    }

    /// Expects that no key is made, and the error's code.
    func refusesKey(
        _ parameters: [CFString: Any], with wanted: OSStatus, _ location: SourceLocation = #_sourceLocation
    ) {
        var error: Unmanaged<CFError>?
        let key = app.run { SecKeyCreateRandomKey(parameters as CFDictionary, &error) }
        expect(key == nil, "no key", location)
        check(Self.status(error), wanted, "making a key", location)
    }

    func representation(of key: SecKey) throws -> Data {
        try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
    }

    /// `kSecAttrApplicationLabel` of a key and its other half.
    func label(of key: SecKey) throws -> Data {
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        return try #require(attributes[kSecAttrApplicationLabel as String] as? Data)
    }

    static let message = Data("to be signed".utf8)

    /// Signs while a person gives exactly these answers, and checks the signature or the code.
    func sign(
        with key: SecKey, _ answers: Answers = .nobodyAsked, gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) {
        asked(answers, location) {
            var error: Unmanaged<CFError>?
            let signature = app.run {
                SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Self.message as CFData, &error)
            }
            guard let signature else {
                return check(Self.status(error), wanted, "signing after \(answers.description)", location)
            }
            check(errSecSuccess, wanted, "signing after \(answers.description)", location)
            let isRight = SecKeyCopyPublicKey(key).map {
                SecKeyVerifySignature(
                    $0, .ecdsaSignatureMessageX962SHA256, Self.message as CFData, signature, nil)
            }
            expect(isRight ?? false, "the signature verifies", location)
        }
    }

    static func status(_ error: Unmanaged<CFError>?) -> OSStatus {
        error.map { OSStatus(CFErrorGetCode($0.takeRetainedValue())) } ?? errSecSuccess
    }

    /// Checks the result of a search that fits one key labelled "l" (6.7).
    func checkShape(of query: [CFString: Any], _ key: SecKey, _ location: SourceLocation = #_sourceLocation) throws {
        let found = find(query, location)
        let data = try representation(of: key)
        let names = query.keys.map { "\($0)" }.sorted()
        switch names {
        case []: expect(found == nil, "no result", location)
        case ["r_Data"]: expect(found, is: data, "data", location)
        case ["r_Ref"]: expect(found, is: key, "reference", location)
        case ["r_PersistentRef"]: expect((found as? Data)?.count == 20, "persistent reference", location)
        default:
            guard let dictionary = found as? [String: Any] else {
                return expect(false, "\(names) give a dictionary", location)
            }
            expect(dictionary["v_Data"], is: names.contains("r_Data") ? data : nil, "data", location)
            expect(dictionary["v_Ref"], is: names.contains("r_Ref") ? key : nil, "reference", location)
            expect(dictionary["class"], is: names.contains("r_Ref") ? "keys" : nil, "class of \(names)", location)
            expect(
                (dictionary["v_PersistentRef"] != nil) == names.contains("r_PersistentRef"), "persistent reference",
                location)
            let hasAttributes = names.contains("r_Attributes") || names.contains("r_Ref")
            expect(dictionary["labl"], is: hasAttributes ? "l" : nil, "label of \(names)", location)
        }
    }
}
