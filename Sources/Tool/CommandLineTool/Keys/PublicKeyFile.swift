package import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyEncoding
import LatchkeySecretMemory

/// A public key in a file: PEM or DER, by itself or in a certificate.
package enum PublicKeyFile {
    private static let byteLimit = 1 << 20

    package static func read(_ path: String) throws(CommandFailure) -> PublicKey {
        let contents = try SecretFile.read(path)
        // Refused before anything is copied into memory that is not wiped.
        let labels = contents.pemBlocks.map(\.label)
        guard !labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) else {
            throw CommandFailure(
                .inputMalformed, "\(path) holds a private key.", why: "A public key or a certificate is expected here.",
                advice: "`openssl pkey -in FILE -pubout` writes its public half.")
        }
        guard contents.count <= byteLimit else {
            throw CommandFailure(KeyFailure.unreadable(reason: "It is longer than \(byteLimit) bytes."), in: path)
        }
        return try key(in: unsafe contents.withBytes { unsafe Array($0) }, path: path)
    }

    package static func key(in bytes: [UInt8], path: String) throws(CommandFailure) -> PublicKey {
        if let certificate = certificate(in: bytes) {
            guard let key = certificate.publicKey else {
                throw CommandFailure(KeyFailure.unsupported(what: "The certificate's key."), in: path)
            }
            return key
        }
        do throws(KeyFailure) {
            return try isPEM(bytes) ? PublicKey(pem: bytes) : PublicKey(subjectPublicKeyInfo: bytes)
        } catch {
            throw CommandFailure(error, in: path)
        }
    }

    private static func isPEM(_ bytes: [UInt8]) -> Bool { unsafe bytes.lend { unsafe PEMBlock.begins(in: $0) } }

    private static func certificate(in bytes: [UInt8]) -> Certificate? {
        guard isPEM(bytes) else { return try? Certificate(der: bytes) }
        return try? Certificate.all(pem: bytes).first
    }
}
