package import ArgumentParser
import Glibc
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `latchkey export --format …`: one key, certificate or identity.
package struct ExportKeys: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "One certificate, key or identity: PEM, DER, PKCS#8, PKCS#12 (the default).",
        discussion: """
            A private key is exported only with --private-key, and encrypted with a passphrase unless --no-passphrase \
            is given. Keys of the enclave are never exported.

            `latchkey export csv` and `latchkey export netrc` write all passwords.
            """)

    /// The part of the named object that is exported.
    package enum Part: String, EnumerableFlag {
        case certificate
        case publicKey
        case privateKey
    }

    @Option(help: "pem, der, pkcs8 (a private key) or pkcs12 (an identity).")
    package var format = KeyFileFormat.pem

    @Flag(exclusivity: .exclusive, help: "The part to export, if the names fit several.")
    package var part: Part?

    @Option(name: [.customShort("c"), .long], help: "The common name of the certificate.")
    package var commonName: String?

    @Option(
        name: [.customShort("o"), .long], help: "Write to this file; for a private key a new one.", completion: .file())
    package var output: String?

    @Flag(help: "Write a private key to standard output although it is a terminal.")
    package var toTerminal = false

    @OptionGroup package var passphrase: PassphraseOptions
    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard !common.json else { throw ValidationError("An export has its own format; --json does not go with it.") }
        guard commonName != nil || selection.label != nil || selection.tag != nil || selection.id != nil else {
            throw ValidationError(
                "Nothing is named: give --label, --tag, --id or --common-name; or csv or netrc for all passwords.")
        }
        guard ![.pkcs8, .pkcs12].contains(format) || part == .privateKey else {
            throw ValidationError("\(format.rawValue) holds a private key: pass --private-key to export it.")
        }
        guard format != .pkcs12 || !passphrase.noPassphrase else {
            throw ValidationError("A PKCS#12 file has a passphrase.")
        }
        if let output, output.isEmpty { throw ValidationError("The file after --output has no name.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        guard format == .pem || output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .secretsToTerminal, "Nothing was exported.",
                why: "\(format.rawValue) is not plain text, and standard output is a terminal, which would obey its "
                    + "control characters.",
                advice: "Name a file with --output, say --format pem, or send it to a program.")
        }
        guard part != .privateKey else { return try privateKey() }
        let device = try DeviceAccess(common)
        let lookup = try KeyLookup(device, selection.group, asking, common)
        let finder = ExportFinder(lookup: lookup, selection: selection, commonName: commonName)
        let bytes: [UInt8]
        switch try finder.publicPart(part) {
        case .certificate(let certificate): bytes = format == .pem ? Array(certificate.pem.utf8) : certificate.der
        case .publicKey(let key): bytes = format == .pem ? Array(key.pem.utf8) : key.subjectPublicKeyInfo
        }
        guard let output else { return Report(pieces: [.bytes(bytes)], json: .null) }
        try ResultFile.write(bytes, to: output)
        return Report("Written to \(output).", json: .null)
    }

    private func privateKey() throws(CommandFailure) -> Report {
        guard toTerminal || output != nil || isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .secretsToTerminal, "The private key was not written.",
                why: "Standard output is a terminal, where it would stay readable.",
                advice: "Name a file with --output, or say --to-terminal.")
        }
        let device = try DeviceAccess(common)
        let lookup = try KeyLookup(device, selection.group, asking, common)
        let finder = ExportFinder(lookup: lookup, selection: selection, commonName: commonName)
        let found = try finder.privatePart(withCertificate: format == .pkcs12)
        let passphrase = try passphrase.ofNew()
        let secret: SecretBox
        switch format {
        case .pem: secret = found.key.pem(passphrase: passphrase)
        case .der, .pkcs8: secret = found.key.pkcs8(passphrase: passphrase)
        case .pkcs12: secret = try pkcs12(found, passphrase: passphrase)
        }
        let clear = passphrase == nil ? " in clear" : ""
        StandardError.write("latchkey: 1 private key exported\(clear).\n")
        guard let output else { return Report(pieces: [.secret(secret)], json: .null) }
        try ResultFile.write(secret, to: output)
        return Report("Written to \(output).", json: .null)
    }

    private func pkcs12(
        _ found: ExportFinder.PrivatePart, passphrase: SecretBox?
    ) throws(CommandFailure) -> SecretBox {
        guard let certificate = found.certificate, let passphrase else {
            throw CommandFailure(.usage, "A PKCS#12 file has a certificate and a passphrase.")
        }
        let identity = PKCS12File.Identity(
            key: found.key, certificate: certificate, label: found.label, keyIdentifier: nil)
        do {
            return try PKCS12File.pkcs12(of: identity, chain: found.chain, passphrase: passphrase)
        } catch {
            throw CommandFailure(.failure, "The PKCS#12 file could not be made.", why: "\(error)")
        }
    }
}
