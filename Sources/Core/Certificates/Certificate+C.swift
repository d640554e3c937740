package import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite

@_implementationOnly import CLatchkeyLibcrypto

/// An X.509 certificate. Immutable; safe to use from many threads.
///
/// The content is parsed here, as strict DER. libcrypto parses the same bytes, to check signatures and chains.
@safe package final class Certificate: @unchecked Sendable {
    // Sendable because nothing changes after initialisation; libcrypto guards its own caches with a lock.
    let x509: OpaquePointer
    let parts: CertificateParts

    /// The bytes as they were given.
    package let der: [UInt8]

    /// The size limit.
    package static let byteLimit = 1 << 20

    /// Parses a certificate from DER bytes; nothing may follow them.
    package init(der: [UInt8]) throws(CertificateFailure) {
        guard der.count <= Self.byteLimit else { throw .tooLarge(what: "certificate of \(der.count) bytes") }
        parts = try CertificateParts(der: der)
        Libcrypto.begin()
        defer { ERR_clear_error() }
        let found = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            guard let x509 = unsafe d2i_X509(nil, &position, bytes.count) else { return nil }
            guard unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }) else {
                unsafe X509_free(x509)
                return nil
            }
            return unsafe x509
        }
        guard let x509 = unsafe found else {
            throw .unreadable(reason: "libcrypto cannot parse the certificate.")
        }
        unsafe self.x509 = unsafe x509
        self.der = der
    }

    deinit {
        unsafe X509_free(x509)
    }

    /// Returns the DER of a certificate that libcrypto has parsed.
    static func der(of x509: OpaquePointer) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(x509, &bytes)
        defer { unsafe CRYPTO_free(bytes, #fileID, #line) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(max(count, 0))))
    }

    /// Nil for a kind of key that ``PublicKey`` does not support.
    package var publicKey: PublicKey? { try? PublicKey(subjectPublicKeyInfo: Array(parts.publicKeyInfo)) }

    /// SHA-1 of the key's bits in the certificate, without the algorithm: equal to ``PublicKey/digest`` of the key.
    ///
    /// For a compressed point of a known curve the digest is that of the uncompressed one.
    package var publicKeyDigest: [UInt8] {
        let bits = Array(parts.publicKeyBits)
        guard parts.publicKeyAlgorithm.elementsEqual(ObjectIdentifiers.ellipticCurveKey), bits.first != 4 else {
            return sha1(bits)
        }
        return publicKey?.digest ?? sha1(bits)
    }

    /// True if it is signed by its own key.
    package var isSelfSigned: Bool {
        defer { ERR_clear_error() }
        // Issuer and subject have to be equal as well.
        return unsafe X509_self_signed(x509, 1) == 1
    }
}

extension Certificate: Hashable {
    package static func == (one: Certificate, other: Certificate) -> Bool { one.der == other.der }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
