import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport

/// Keys for tests: those of RSA come from files, since making them takes long.
enum Samples {
    static let ellipticCurve = Dictionary(
        uniqueKeysWithValues: Curve.allCases.map { ($0, make(.ellipticCurve($0))) })

    static let rsa1024 = rsa("rsa-1024.pem")
    static let rsa2048 = rsa("rsa-2048.pem")
    static let rsa4096 = rsa("rsa-4096.pem")
    /// Too short for some digests.
    static let rsa512 = make(.rsa(bits: 512))

    static func key(_ curve: Curve) -> PrivateKey {
        guard let key = ellipticCurve[curve] else { preconditionFailure("every curve has a key") }
        return key
    }

    static func make(_ kind: KeyKind) -> PrivateKey {
        do {
            return try PrivateKey(generating: kind)
        } catch {
            preconditionFailure("no key of \(kind): \(error)")
        }
    }

    static func rsa(_ file: String) -> PrivateKey {
        do {
            let text = try Data(contentsOf: Vectors.folder.appendingPathComponent("sealed/\(file)"))
            return try PrivateKey(encoded: SecretBox(copying: Array(text)), passphrase: nil)
        } catch {
            preconditionFailure("no key in \(file): \(error)")
        }
    }

    static let message = Array("a message for a friend".utf8)

    static let digests = DigestAlgorithm.ofKeyAlgorithms
}
