import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport

/// A key with two certificates, and another key with one, all of one authority.
struct IdentityStage {
    let keychain: TestKeychain
    let authority: CertificateAuthority
    let root: CertificateAuthority.Issued
    let first: CertificateAuthority.Issued
    let second: CertificateAuthority.Issued

    init(_ keychain: TestKeychain? = nil) throws {
        self.keychain = try keychain ?? TestKeychain()
        self.keychain.setClockToNow()
        authority = try CertificateAuthority()
        root = try authority.root("root", subject: "/CN=Root")
        first = try authority.issue("first", subject: "/CN=First", by: root)
        second = try authority.issue("second", subject: "/CN=Second", by: root)
    }

    /// Another certificate for the first key.
    func renewed() throws -> Certificate {
        let path = authority.directory.appendingPathComponent("renewed.pem").path
        try authority.openssl([
            "req", "-x509", "-new", "-key", first.keyFile, "-subj", "/CN=Renewed", "-days", "10", "-out", path,
        ])
        let der = try authority.openssl(["x509", "-in", path, "-outform", "DER"])
        return try Certificate(der: Array(der))
    }

    @discardableResult
    func add(
        _ certificate: Certificate, _ key: PrivateKey, _ more: [String: PropertyValue] = [:],
        caller: Caller = TestKeychain.caller
    ) -> ItemReply {
        var certificatePart = CertificateAttributes.ofNewItem(certificate).byColumn
        certificatePart["v_Data"] = .data(certificate.der)
        var keyPart = KeyAttributes.ofNewItem(key).byColumn
        keyPart["v_Data"] = .secret(0)
        let reference = IdentityReference(certificate: certificatePart, key: keyPart).value
        return keychain.service.perform(
            ItemRequest(
                operation: .add,
                query: [QueryPair("class", .string("idnt")), QueryPair("v_Ref", reference)]
                    + more.map { QueryPair($0.key, $0.value) },
                wantsResult: true, secrets: [key.externalRepresentation]), caller: caller)
    }

    @discardableResult
    func add(_ issued: CertificateAuthority.Issued, _ more: [String: PropertyValue] = [:]) throws -> ItemReply {
        add(try issued.parsed, try issued.key, more)
    }

    /// An identity of a key of the enclave, whose certificate the authority signs.
    func add(
        _ key: EnclaveKey, _ more: [String: PropertyValue] = [:]
    ) throws -> (certificate: Certificate, reply: ItemReply) {
        let publicFile = authority.directory.appendingPathComponent("enclave.pub").path
        try key.publicKey.pem.write(toFile: publicFile, atomically: true, encoding: .utf8)
        let der = try authority.openssl([
            "x509", "-new", "-subj", "/CN=Enclave", "-force_pubkey", publicFile, "-CA", root.certificateFile,
            "-CAkey", root.keyFile, "-set_serial", "77", "-days", "5", "-outform", "DER",
        ])
        let certificate = try Certificate(der: Array(der))
        var certificatePart = CertificateAttributes.ofNewItem(certificate).byColumn
        certificatePart["v_Data"] = .data(certificate.der)
        let reference = IdentityReference(
            certificate: certificatePart,
            key: ["tkid": .string(KeyAttributes.enclaveToken), "toid": .data(key.blob)])
        let reply = keychain.service.perform(
            ItemRequest(
                operation: .add,
                query: [QueryPair("class", .string("idnt")), QueryPair("v_Ref", reference.value)]
                    + more.map { QueryPair($0.key, $0.value) },
                wantsResult: true), caller: TestKeychain.caller)
        return (certificate, reply)
    }

    /// Returns the form that the face gives a reference to an identity.
    static func name(_ certificate: Certificate, _ key: PublicKey) -> [String: PropertyValue] {
        [
            "issr": .data(certificate.normalisedIssuer), "slnr": .data(certificate.serialNumber),
            "klbl": .data(key.digest),
        ]
    }

    var counts: [Int] { [.identity, .certificate, .key].map { keychain.count($0) } }
}
