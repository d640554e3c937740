import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport

extension Hex {
    var secret: SecretBox { SecretBox(copying: bytes) }
}

/// The number of cases by their end: compared as a whole, so that no case is lost unseen.
struct Tally: Equatable {
    var accepted = 0
    var refused = 0
    /// Of what was refused: right by the vector, with parameters that no algorithm of ours has.
    var notOurs = 0
}

extension DigestAlgorithm {
    /// By the name that Wycheproof and openssl use: `SHA-256`; nil for digests that no key algorithm has.
    init?(wycheproof name: String) {
        self.init(rawValue: name.replacingOccurrences(of: "SHA-", with: "SHA"))
    }

    /// openssl's name.
    var opensslName: String { name.lowercased() }
}

extension SecretBox {
    /// The bytes, for comparing with a vector.
    var contents: [UInt8] { withBytes { Array($0) } }

    convenience init(text: String) {
        self.init(copying: Array(text.utf8))
    }
}

extension PublicKey {
    func encrypt(
        _ plaintext: [UInt8], _ algorithm: EncryptionAlgorithm, sharedInfo: [UInt8] = [],
        associatedData: [UInt8]? = nil
    ) throws(KeyOperationFailure) -> [UInt8] {
        // The closure's typed throw is lost through `withUnsafeBytes`.
        let outcome = plaintext.withUnsafeBytes { bytes in
            Result { () throws(KeyOperationFailure) in
                try encrypt(bytes, algorithm, sharedInfo: sharedInfo, associatedData: associatedData)
            }
        }
        return try outcome.get()
    }

    /// Returns true if the signature is right; every other failure than a wrong signature is thrown.
    func accepts(_ signature: [UInt8], over signed: [UInt8], _ algorithm: SignatureAlgorithm) throws -> Bool {
        do throws(KeyOperationFailure) {
            try verify(signature, over: signed, algorithm)
            return true
        } catch {
            guard error == .notSigned else { throw error }
            return false
        }
    }
}
