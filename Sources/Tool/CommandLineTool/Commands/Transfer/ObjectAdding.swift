import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Adds the contents of a file to the keychain.
struct ObjectAdding {
    let device: DeviceAccess
    let owner: OwnerAuthority?
    var label: String?
    var tag: String?
    /// The attributes of every new item: its group.
    let shared: [QueryPair]
    /// The protection class of objects without rules.
    let protection: [QueryPair]
    /// The access control of private keys, in place of the protection class.
    let rules: QueryPair?

    /// - Returns: the objects that were added. Throws at the first refusal other than a duplicate.
    func add(_ file: KeyFile) throws(CommandFailure) -> ObjectTally {
        var tally = ObjectTally()
        do {
            for identity in file.identities { try tally.count(\.identities, add(identity)) }
            for certificate in file.certificates { try tally.count(\.certificates, add(certificate)) }
            for key in file.privateKeys { try tally.count(\.privateKeys, add(key)) }
            for key in file.publicKeys { try tally.count(\.publicKeys, add(key)) }
        } catch {
            guard tally.added > 0 else { throw error }
            throw CommandFailure(
                .partlyTransferred,
                "\(ItemCount.opening(tally.added)) \(tally.added == 1 ? "was" : "were") imported, then the keychain refused: "
                    + error.what,
                why: error.why, advice: error.advice, code: error.code)
        }
        return tally
    }

    private func add(_ certificate: Certificate) throws(CommandFailure) -> Bool {
        let pairs = QueryPair.pairs(
            CertificateAttributes.ofNewItem(certificate), under: shared + protection + labelling())
        let query = pairs + [QueryPair("v_Data", .secret(0))]
        return try perform(query, itemClass: .certificate, secrets: [SecretBox(copying: certificate.der)])
    }

    func add(_ key: PrivateKey) throws(CommandFailure) -> Bool {
        let pairs = QueryPair.pairs(
            KeyAttributes.ofNewItem(key), under: shared + guarding + labelling() + tagging)
        let query = pairs + [QueryPair("v_Data", .secret(0))]
        return try perform(query, itemClass: .key, secrets: [key.externalRepresentation])
    }

    private func add(_ key: PublicKey) throws(CommandFailure) -> Bool {
        let pairs = QueryPair.pairs(
            KeyAttributes.ofNewItem(key), under: shared + protection + labelling() + tagging)
        let query = pairs + [QueryPair("v_Data", .secret(0))]
        return try perform(query, itemClass: .key, secrets: [SecretBox(copying: key.externalRepresentation)])
    }

    private func add(_ identity: PKCS12File.Identity) throws(CommandFailure) -> Bool {
        guard rules == nil else {
            // Added as one, the certificate would require authentication, too.
            var part = self
            part.label = label ?? identity.label
            let isNewCertificate = try part.add(identity.certificate)
            return try part.add(identity.key) || isNewCertificate
        }
        var certificate = CertificateAttributes.ofNewItem(identity.certificate).byColumn
        certificate["v_Data"] = .data(identity.certificate.der)
        var key = KeyAttributes.ofNewItem(identity.key).byColumn
        key["v_Data"] = .secret(0)
        // The label of the call is the certificate's; a key without a label would be hard to find in a list.
        if let label = label ?? identity.label { key[.label] = .string(label) }
        let reference = IdentityReference(certificate: certificate, key: key)
        let query =
            [QueryPair("v_Ref", reference.value)] + shared + guarding + labelling(identity.label) + tagging
        return try perform(query, itemClass: .identity, secrets: [identity.key.externalRepresentation])
    }

    /// False if it is there already.
    private func perform(
        _ pairs: [QueryPair], itemClass: ItemClass, secrets: [SecretBox]
    ) throws(CommandFailure) -> Bool {
        let query = [QueryPair("class", .string(itemClass.rawValue))] + pairs.filter { $0.key != .string("class") }
        let reply = device.call(
            ItemRequest(operation: .add, query: query, wantsResult: false, secrets: secrets, owner: owner))
        if reply.code == .duplicateItem { return false }
        guard reply.code == .success else { throw CommandFailure(reply) }
        return true
    }

    private var guarding: [QueryPair] { rules.map { [$0] } ?? protection }

    private func labelling(_ own: String? = nil) -> [QueryPair] {
        (label ?? own).map { [QueryPair(.label, .string($0))] } ?? []
    }

    private var tagging: [QueryPair] {
        tag.map { [QueryPair(.applicationTag, .data(Array($0.utf8)))] } ?? []
    }
}

/// The numbers of objects of a file, by result.
struct ObjectTally {
    var identities = 0
    var certificates = 0
    var privateKeys = 0
    var publicKeys = 0
    var existing = 0

    var added: Int { identities + certificates + privateKeys + publicKeys }

    mutating func count(_ kind: WritableKeyPath<ObjectTally, Int>, _ isNew: Bool) {
        self[keyPath: isNew ? kind : \.existing] += 1
    }

    /// - clearFile: a file that still holds private keys without a passphrase.
    func report(notes: [String], clearFile: String?) -> Report {
        let counts = [
            (identities, "identity", "identities"), (certificates, "certificate", "certificates"),
            (privateKeys, "private key", "private keys"), (publicKeys, "public key", "public keys"),
        ]
        let parts = counts.filter { $0.0 > 0 }.map { ItemCount.text($0.0, $0.1, $0.2) }
        var lines = [parts.isEmpty ? "Nothing new was imported." : parts.joined(separator: ", ") + " imported."]
        if existing > 0 { lines.append("\(existing) \(existing == 1 ? "was" : "were") there already.") }
        lines += notes
        if let clearFile {
            lines.append(
                "\(clearFile) still holds the private key in clear: delete it when you have seen that all is well.")
        }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("identities", .integer(Int64(identities))), ("certificates", .integer(Int64(certificates))),
                ("privateKeys", .integer(Int64(privateKeys))), ("publicKeys", .integer(Int64(publicKeys))),
                ("existing", .integer(Int64(existing))), ("notes", .array(notes.map(JSONValue.string))),
            ]))
    }
}
