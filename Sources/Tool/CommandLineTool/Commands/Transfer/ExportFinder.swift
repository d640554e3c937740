import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyPropertyListDER

/// Finds what an export names.
struct ExportFinder {
    enum PublicPart {
        case certificate(Certificate)
        case publicKey(PublicKey)
    }

    struct PrivatePart {
        let key: PrivateKey
        var certificate: Certificate?
        var label: String?
        var chain: [Certificate] = []
    }

    let lookup: KeyLookup
    let selection: KeySelection
    let commonName: String?

    /// The certificate or the public key, whichever there is; refused if both are and nothing says which.
    func publicPart(_ part: ExportKeys.Part?) throws(CommandFailure) -> PublicPart {
        switch part {
        case .certificate?: return .certificate(try certificate().certificate)
        case .publicKey?, .privateKey?: return .publicKey(try publicKey())
        case nil: break
        }
        guard commonName == nil else { return .certificate(try certificate().certificate) }
        guard selection.tag == nil else { return .publicKey(try publicKey()) }
        let found = try ifFound { () throws(CommandFailure) in try certificate() }
        let hasKey = try !lookup.all(selection.pairs(), keyClass: nil).isEmpty
        switch (found, hasKey) {
        case (let found?, false): return .certificate(found.certificate)
        case (nil, _): return .publicKey(try publicKey())
        case (_?, true):
            throw CommandFailure(
                .ambiguousItem, "A certificate and a key fit, and nothing was exported.",
                advice: "Say --certificate, --public-key or --private-key.")
        }
    }

    func privatePart(withCertificate: Bool) throws(CommandFailure) -> PrivatePart {
        guard withCertificate || commonName != nil else { return PrivatePart(key: try privateKey(selection.pairs())) }
        let certificate = try certificate()
        let key: PrivateKey
        do {
            key = try privateKey(
                [QueryPair(.applicationLabel, .data(certificate.certificate.publicKeyDigest))] + selection.group.pairs)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            throw CommandFailure(
                .itemNotFound, "There is a certificate, but not its private key.",
                why: "An identity is a certificate with its private key.",
                advice: "Export the certificate alone (--certificate), or import its key.", code: .itemNotFound)
        }
        let all = try CertificateLookup(device: lookup.device, owner: lookup.owner).all().certificates
        var label = certificate.certificate.summary
        if case .string(let own)? = certificate.attributes[.label] { label = own }
        return PrivatePart(
            key: key, certificate: certificate.certificate, label: label,
            chain: CertificateLookup.chain(of: certificate.certificate, in: all.map(\.certificate)))
    }

    private func privateKey(_ pairs: [QueryPair]) throws(CommandFailure) -> PrivateKey {
        switch try lookup.privateKey(pairs).material {
        case .privateKey(let key): return key
        case .enclave, .publicKey:
            throw CommandFailure(
                .keyNotExportable, "The private key cannot be exported.",
                why: "It was made in the enclave and never leaves it.",
                advice: "`latchkey key public` writes its public half; elsewhere, make another key.")
        }
    }

    private func publicKey() throws(CommandFailure) -> PublicKey {
        guard commonName == nil else {
            guard let key = try certificate().certificate.publicKey else {
                throw CommandFailure(.keyUnsuitable, "The certificate's key is of a kind that this tool does not know.")
            }
            return key
        }
        return try lookup.publicKey(selection.pairs())
    }

    private func certificate() throws(CommandFailure) -> StoredCertificate {
        let identifier = try identifier()
        let reading = CertificateLookup(device: lookup.device, owner: lookup.owner)
        let found = try reading.matching { stored in
            if let commonName, stored.certificate.commonName?.lowercased() != commonName.lowercased() { return false }
            if let label = selection.label, stored.attributes[.label] != .string(label) { return false }
            return identifier.map { stored.certificate.publicKeyDigest == $0 } ?? true
        }
        guard let first = found.first, Set(found.map(\.certificate)).count == 1 else {
            throw CommandFailure(
                .ambiguousItem, "\(found.count) certificates fit, and nothing was exported.",
                advice:
                    "Name one with --id, the SHA-1 of its public key; `latchkey find-certificate -a` shows it (pkhh).")
        }
        return first
    }

    /// The digest of the public key, where --id names it or --tag names the key.
    private func identifier() throws(CommandFailure) -> [UInt8]? {
        if let id = selection.id { return try KeySelection.digest(id) }
        guard let tag = selection.tag else { return nil }
        let pairs = [QueryPair(.applicationTag, .data(Array(tag.utf8)))] + selection.group.pairs
        return try lookup.privateKey(pairs).identifier
    }

    private func ifFound(
        _ find: () throws(CommandFailure) -> StoredCertificate
    ) throws(CommandFailure) -> StoredCertificate? {
        do {
            return try find()
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }
}
