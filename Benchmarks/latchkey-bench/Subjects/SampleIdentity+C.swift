import CLatchkeyLibcrypto
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// The identities of the measurements: each a key of its own and a certificate signed with it.
enum SampleIdentity {
    static func label(_ index: Int) -> String { "identity \(index)" }

    static func make(_ index: Int) throws -> (key: PrivateKey, certificate: Certificate) {
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let handle = key.pkcs8(passphrase: nil).withBytes { bytes in
            var start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            return d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
        let made = X509_new()
        defer {
            EVP_PKEY_free(handle)
            X509_free(made)
        }
        let name = X509_get_subject_name(made)
        let text = Array(label(index).utf8)
        var output: UnsafeMutablePointer<UInt8>?
        let isMade =
            X509_set_version(made, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(made), index + 1) == 1
            && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, Int32(text.count), -1, 0) == 1
            && X509_set_issuer_name(made, name) == 1
            && X509_gmtime_adj(X509_getm_notBefore(made), 0) != nil
            && X509_gmtime_adj(X509_getm_notAfter(made), 365 * 24 * 3600) != nil
            && X509_set_pubkey(made, handle) == 1 && X509_sign(made, handle, EVP_sha256()) > 0
        let count = isMade ? i2d_X509(made, &output) : 0
        guard count > 0, let output else { throw Failure("no certificate can be made") }
        defer { CRYPTO_free(output, nil, 0) }
        return (key, try Certificate(der: Array(UnsafeBufferPointer(start: output, count: Int(count)))))
    }
}
