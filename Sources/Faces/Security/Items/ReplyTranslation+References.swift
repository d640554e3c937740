import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyKeyItems
import LatchkeySecretMemory

// The objects that items of keys, certificates and identities are.

extension ReplyTranslation {
    /// Nil for data that is not a valid object: the item was found, and the program gets no object (Reference 6.9).
    func reference(_ object: ItemObject) throws(Failure) -> AnyObject? {
        switch object {
        case .key, .enclaveKey:
            return try key(object)
        case .certificate(let index):
            return try certificate(secret: index)
        case .identity(let key, let index):
            guard let key = try self.key(key), let certificate = try certificate(secret: index),
                key.isPrivate, certificate.certificate.publicKeyDigest == key.publicKey.digest
            else { return nil }
            return SecIdentity(certificate: certificate, key: key)
        }
    }

    private func key(_ object: ItemObject) throws(Failure) -> SecKey? {
        switch object {
        case .key(let keyClass, let number, let index):
            let data = try box(at: index)
            guard let type = KeyType(rawValue: number),
                let content = try? SecKey.Content(data, keyClass: keyClass, type)
            else { return nil }
            return SecKey(content)
        case .enclaveKey(let blob):
            guard let origin else { return nil }
            let connection = KeyConnection(origin.destination, query: origin.query)
            do throws(KeyCallFailure) {
                return SecKey(try EnclaveKey(restoring: blob, over: connection))
            } catch {
                // The key is gone by now, or the enclave does not answer: "no object" would be a wrong answer.
                throw .keyUnavailable(error.code)
            }
        case .certificate, .identity:
            return nil
        }
    }

    private func certificate(secret index: Int) throws(Failure) -> SecCertificate? {
        let data = unsafe try box(at: index).withBytes { unsafe [UInt8]($0) }
        guard let certificate = try? Certificate(der: data) else { return nil }
        return SecCertificate(certificate)
    }
}
