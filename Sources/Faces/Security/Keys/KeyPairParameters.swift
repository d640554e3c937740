import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems

/// The dictionary from which a key pair is made (Reference 9.2), read once.
struct KeyPairParameters {
    /// One key of the pair: whether it becomes an item, and with what attributes.
    struct Half {
        let isPermanent: Bool
        let attributes: KeyDictionary
    }

    enum Place {
        case here
        case enclave(EnclaveKeyParameters)
    }

    let kind: KeyKind
    let place: Place
    let privateHalf: Half
    let publicHalf: Half

    private static let halves = ["private", "public"]
    /// Attributes that an item takes from its key alone, and parameters of this call.
    fileprivate static let ofKey = names([.isPermanent, .type, .keySizeInBits, .keyClass])
    /// Attributes of the enclave's key: they guard the key, and then not the item.
    private static let ofEnclave =
        names([.accessControl, .accessible, .tokenID, .tokenOID]) + ["u_AuthUI", "u_NoAuthUI", "u_OpPrompt"]

    private static func names(_ attributes: [AttributeName]) -> [String] { attributes.map(\.rawValue) }

    init(_ dictionary: NSDictionary) throws(KeyCallFailure) {
        let given = KeyDictionary(dictionary)
        try given.checkText()
        for half in Self.halves { try given.dictionary(half).checkText() }
        kind = try Self.kind(given)
        let common = given.without(Self.halves)
        let ownPublic = given.dictionary("public")
        let publicAttributes = common.overlaid(by: ownPublic)
        guard let token = given[.tokenID] else {
            place = .here
            let privateAttributes = common.overlaid(by: given.dictionary("private"))
            privateHalf = Half(privateAttributes, isPermanent: privateAttributes.truth(.isPermanent, or: false))
            publicHalf = Half(publicAttributes, isPermanent: publicAttributes.truth(.isPermanent, or: false))
            return
        }
        guard (token as? NSString)?.wellFormed == KeyAttributes.enclaveToken else {
            throw KeyCallFailure(
                errSecItemNotFound, "Unknown token. The only supported value is kSecAttrTokenIDSecureEnclave.")
        }
        guard kind == .ellipticCurve(.p256) else {
            throw KeyCallFailure(
                errSecParam,
                "The enclave makes kSecAttrKeyTypeECSECPrimeRandom with kSecAttrKeySizeInBits 256 only.")
        }
        // Here the top level wins, other than for software keys.
        let privateAttributes = given.dictionary("private").overlaid(by: common)
        let isPermanent = privateAttributes.truth(.isPermanent, or: true)
        place = .enclave(try EnclaveKeyParameters(privateAttributes))
        privateHalf = Half(privateAttributes.without(Self.ofEnclave), isPermanent: isPermanent)
        // An ordinary key, which is an item only if that is asked for: for both halves or for it by itself.
        publicHalf = Half(
            publicAttributes.without(Self.ofEnclave), isPermanent: publicAttributes.truth(.isPermanent, or: false))
    }

    private static func kind(_ given: KeyDictionary) throws(KeyCallFailure) -> KeyKind {
        guard let name = given.text(.type), let type = KeyType.allCases.first(where: { String($0.rawValue) == name })
        else { throw KeyCallFailure(errSecParam, "kSecAttrKeyType is missing, or keys of this type cannot be made.") }
        guard let number = given.number(.keySizeInBits), let size = Int(exactly: number) else {
            throw KeyCallFailure(errSecParam, "kSecAttrKeySizeInBits is missing or not a number.")
        }
        switch type {
        case .rsa:
            guard KeyKind.rsaBits.contains(size) else {
                throw KeyCallFailure(errSecParam, "An RSA key has 512 to 8192 bits.")
            }
            return .rsa(bits: size)
        case .ellipticCurve:
            guard let curve = Curve(rawValue: size) else {
                throw KeyCallFailure(errSecParam, "The sizes of elliptic curves are 192, 224, 256, 384 and 521 bits.")
            }
            return .ellipticCurve(curve)
        }
    }
}

extension KeyPairParameters.Half {
    fileprivate init(_ attributes: KeyDictionary, isPermanent: Bool) {
        self.init(isPermanent: isPermanent, attributes: attributes.without(KeyPairParameters.ofKey))
    }
}
