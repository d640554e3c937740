package import LatchkeyAccessControl
package import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// A private key that only the enclave has. Here it is a blob which the enclave opens, and the connection to it.
package struct EnclaveKey: Sendable {
    /// `kSecAttrTokenOID`: only the enclave that made it opens it.
    package let blob: [UInt8]
    package let publicKey: PublicKey
    /// When it may be used.
    package let accessControl: AccessControl
    package let connection: KeyConnection

    package init(blob: [UInt8], publicKey: PublicKey, accessControl: AccessControl, connection: KeyConnection) {
        self.blob = blob
        self.publicKey = publicKey
        self.accessControl = accessControl
        self.connection = connection
    }

    /// A key that the enclave made before.
    init(restoring blob: [UInt8], over connection: KeyConnection) throws(KeyCallFailure) {
        let found: EnclaveKeyDescription
        do throws(EnclaveKeyRefusal) {
            found = try connection.ask { _ in DescribeEnclaveKey(blob) }
        } catch {
            throw KeyCallFailure(error)
        }
        guard found.publicKey.count <= AgreeWithKey.pointByteCount else {
            throw KeyCallFailure(
                errSecParam,
                Refusal(as: .tokenObjectOfOtherKind))
        }
        self.init(
            blob: blob, publicKey: try PublicKey(ofEnclave: found.publicKey), accessControl: found.accessControl,
            connection: connection)
    }
}

extension PublicKey {
    /// The public half as the enclave tells it.
    convenience init(ofEnclave point: [UInt8]) throws(KeyCallFailure) {
        do throws(KeyFailure) {
            try self.init(externalRepresentation: point, type: .ellipticCurve)
        } catch {
            throw .nonsense
        }
        guard kind == .ellipticCurve(.p256) else { throw .nonsense }
    }
}
