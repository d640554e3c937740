import Crypto
import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Security

/// The commands of ``Client`` that are about keys: `make-key`, `sign COUNT`, `echo-sign SOCKET COUNT BYTES`,
/// `agent-sign SOCKET COUNT`, `verify COUNT`, `verify-bare COUNT` and `find-identity COUNT ITEMS`.
final class KeyClient {
    private var enclaveKey: SecKey?
    private let message = Data((0..<64).map { UInt8($0) })
    private var agent: (path: String, conversation: SSHAgentConversation)?

    /// One key and signature in the forms of both libraries.
    private struct Signed {
        let key: SecKey
        let bareKey: P256.Signing.PublicKey
        let signature: Data
    }

    private lazy var signed = Result { try makeSigned() }
    private lazy var ownKey = Result { try PrivateKey(generating: .ellipticCurve(.p256)) }

    /// An enclave key that no item refers to.
    func makeKey() throws -> UInt64 {
        try nanoseconds {
            var error: Unmanaged<CFError>?
            let attributes: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false] as [CFString: Any],
            ]
            enclaveKey = SecKeyCreateRandomKey(attributes as CFDictionary, &error)
            guard enclaveKey != nil else { throw Failure("no enclave key: \(Self.words(error))") }
        }
    }

    func sign(_ count: Int) throws -> UInt64 {
        guard let enclaveKey else { throw Failure("make-key comes first") }
        var last: Data?
        let time = try nanoseconds {
            for _ in 0..<count {
                var error: Unmanaged<CFError>?
                last =
                    SecKeyCreateSignature(enclaveKey, .ecdsaSignatureMessageX962SHA256, message as CFData, &error)
                    as Data?
                if last == nil { throw Failure("no signature: \(Self.words(error))") }
            }
        }
        guard let last, let publicKey = SecKeyCopyPublicKey(enclaveKey),
            SecKeyVerifySignature(
                publicKey, .ecdsaSignatureMessageX962SHA256, message as CFData, last as CFData, nil)
        else { throw Failure("a signature of the enclave does not verify") }
        return time
    }

    /// The cost of a signature in this process.
    func signHere() throws {
        _ = try ownKey.get().sign(Array(message), SignatureAlgorithm(.ecdsaX962, .sha256, takesMessage: true))
    }

    func signWithAgent(_ path: String, _ count: Int) throws -> UInt64 {
        if agent?.path != path { agent = (path, try SSHAgentConversation(at: path)) }
        let data = Array(message)
        return try nanoseconds {
            for _ in 0..<count { try agent?.conversation.sign(data) }
        }
    }

    func verify(_ count: Int) throws -> UInt64 {
        let signed = try signed.get()
        let (message, signature) = (message as CFData, signed.signature as CFData)
        var failures = 0
        let time = nanoseconds {
            for _ in 0..<count
            where !SecKeyVerifySignature(signed.key, .ecdsaSignatureMessageX962SHA256, message, signature, nil) {
                failures += 1
            }
        }
        guard failures == 0 else { throw Failure("\(failures) signatures do not verify") }
        return time
    }

    func verifyBare(_ count: Int) throws -> UInt64 {
        let signed = try signed.get()
        var failures = 0
        let time = try nanoseconds {
            for _ in 0..<count {
                let signature = try P256.Signing.ECDSASignature(derRepresentation: signed.signature)
                if !signed.bareKey.isValidSignature(signature, for: message) { failures += 1 }
            }
        }
        guard failures == 0 else { throw Failure("\(failures) signatures do not verify") }
        return time
    }

    func findIdentity(_ count: Int, of itemCount: Int) throws -> UInt64 {
        let wanted = (0..<count).map { _ in Int.random(in: 0..<itemCount) }
        let queries = wanted.map { index in
            [
                kSecClass: kSecClassIdentity, kSecAttrLabel: SampleIdentity.label(index), kSecReturnRef: true,
                kSecMatchLimit: kSecMatchLimitOne,
            ] as CFDictionary
        }
        var results = [CFTypeRef?](repeating: nil, count: count)
        var statuses = [OSStatus](repeating: errSecSuccess, count: count)
        let time = nanoseconds {
            for place in queries.indices { statuses[place] = SecItemCopyMatching(queries[place], &results[place]) }
        }
        for (place, index) in wanted.enumerated() {
            var certificate: SecCertificate?
            guard statuses[place] == errSecSuccess, let identity = results[place] as? SecIdentity,
                SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate,
                SecCertificateCopySubjectSummary(certificate) as String? == SampleIdentity.label(index)
            else { throw Failure("finding identity \(index) gave \(statuses[place])") }
        }
        return time
    }

    private func makeSigned() throws -> Signed {
        let bare = P256.Signing.PrivateKey()
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        let point = bare.publicKey.x963Representation as CFData
        guard let key = SecKeyCreateWithData(point, attributes as CFDictionary, nil) else { throw Failure("no key") }
        return Signed(
            key: key, bareKey: bare.publicKey, signature: try bare.signature(for: message).derRepresentation)
    }

    private static func words(_ error: Unmanaged<CFError>?) -> String {
        error.map { "\($0.takeRetainedValue())" } ?? "no error"
    }
}
