import LatchkeyAsymmetricKeys
package import LatchkeyCertificates
import LatchkeyPlainText
package import LatchkeySecretMemory

/// Reads files with keys and certificates. Nothing is kept of a file of which something cannot be read.
package struct KeyFileReader {
    private static let objectLimit = 10_000

    private let path: String
    private let format: KeyFileFormat?
    /// Asked at most once, and only for a file that is encrypted.
    private let passphrase: () throws(CommandFailure) -> SecretBox
    private var known: SecretBox?

    /// - Parameter format: nil: guessed from the contents.
    package init(
        path: String, format: KeyFileFormat? = nil, passphrase: @escaping () throws(CommandFailure) -> SecretBox
    ) {
        self.path = path
        self.format = format
        self.passphrase = passphrase
    }

    package mutating func read(_ contents: SecretBox) throws(CommandFailure) -> KeyFile {
        let file =
            switch format ?? Self.guess(of: contents) {
            case .pem: try pem(contents)
            case .der: try der(contents)
            case .pkcs8: try pkcs8(contents)
            case .pkcs12: try pkcs12(contents)
            }
        guard !file.isEmpty else {
            throw CommandFailure(
                .inputMalformed, "\(path) holds neither a key nor a certificate.", why: file.notes.first,
                advice: "Name another file; nothing was imported.")
        }
        return file
    }

    /// Guesses the format: PEM by its first line, PKCS#12 by its version 3; all other DER is recognised by its content.
    package static func guess(of contents: SecretBox) -> KeyFileFormat {
        if contents.hasPEM { return .pem }
        return firstBytes(of: contents) == [integerTag, 1, 3] ? .pkcs12 : .der
    }

    private static let integerTag: UInt8 = 0x02

    /// The three bytes with which the content of the outermost SEQUENCE begins.
    private static func firstBytes(of contents: SecretBox) -> [UInt8] {
        unsafe contents.withBytes { bytes in
            guard bytes.count > 8, unsafe bytes[0] == 0x30 else { return [] }
            // The length in one of the forms of DER and BER.
            let length = unsafe bytes[1]
            let start = 2 + (length < 0x80 ? 0 : Int(length & 0x7F))
            guard start + 3 <= bytes.count else { return [] }
            return unsafe Array(bytes[start..<(start + 3)])
        }
    }

    private mutating func pem(_ contents: SecretBox) throws(CommandFailure) -> KeyFile {
        let blocks = contents.pemBlocks
        guard blocks.count <= Self.objectLimit else {
            throw CommandFailure(
                .inputMalformed, "\(path): nothing was imported.",
                why: "There are more than \(Self.objectLimit) blocks.")
        }
        var file = KeyFile()
        var others: Set<String> = []
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                let text = unsafe block.text.withBytes { unsafe Array($0) }
                do {
                    file.certificates += try Certificate.all(pem: text)
                } catch {
                    throw CommandFailure(error, in: path)
                }
            case "PUBLIC KEY", "RSA PUBLIC KEY":
                let text = unsafe block.text.withBytes { unsafe Array($0) }
                do {
                    file.publicKeys.append(try PublicKey(pem: text))
                } catch {
                    throw CommandFailure(error, in: path)
                }
            case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY":
                try add(block.text, to: &file)
            default:
                others.insert(block.label)
            }
        }
        file.notes += others.sorted().map { "Blocks of the kind \(PlainText.escaped($0)) were passed over." }
        return file
    }

    private mutating func der(_ contents: SecretBox) throws(CommandFailure) -> KeyFile {
        var file = KeyFile()
        // Unencrypted private keys begin with a version; they are not copied into memory that is not wiped.
        if contents.count <= 1 << 20, Self.firstBytes(of: contents).first != Self.integerTag {
            let bytes = unsafe contents.withBytes { unsafe Array($0) }
            if let certificate = try? Certificate(der: bytes) {
                file.certificates = [certificate]
                return file
            }
            if let key = try? PublicKey(subjectPublicKeyInfo: bytes) {
                file.publicKeys = [key]
                return file
            }
        }
        do {
            try add(contents, to: &file)
        } catch {
            guard error.status == .inputMalformed else { throw error }
            throw CommandFailure(
                .inputMalformed, "\(path) holds neither a key nor a certificate that can be read.", why: error.why,
                advice: "PEM, DER, PKCS#8 and PKCS#12 are read; nothing was imported.")
        }
        return file
    }

    private mutating func pkcs8(_ contents: SecretBox) throws(CommandFailure) -> KeyFile {
        var file = KeyFile()
        try add(contents, to: &file)
        return file
    }

    private mutating func pkcs12(_ contents: SecretBox) throws(CommandFailure) -> KeyFile {
        let passphrase = try askedPassphrase()
        let information: PKCS12File
        do {
            information = try PKCS12File(pkcs12: contents, passphrase: passphrase)
        } catch {
            throw CommandFailure(error, in: path)
        }
        var file = KeyFile()
        file.identities = information.identities
        let ofIdentities = Set(information.identities.map(\.certificate))
        file.certificates = information.certificates.filter { !ofIdentities.contains($0) }
        file.privateKeys = information.otherKeys
        return file
    }

    private mutating func add(_ encoded: SecretBox, to file: inout KeyFile) throws(CommandFailure) {
        do throws(KeyFailure) {
            file.privateKeys.append(try PrivateKey(encoded: encoded, passphrase: nil))
            file.isInClear = true
            return
        } catch .passphraseNeeded {
        } catch {
            throw CommandFailure(error, in: path)
        }
        let passphrase = try askedPassphrase()
        do throws(KeyFailure) {
            file.privateKeys.append(try PrivateKey(encoded: encoded, passphrase: passphrase))
        } catch {
            throw CommandFailure(error, in: path)
        }
    }

    private mutating func askedPassphrase() throws(CommandFailure) -> SecretBox {
        if let known { return known }
        let asked = try passphrase()
        known = asked
        return asked
    }
}

extension CommandFailure {
    /// A file with certificates that cannot be read.
    package init(_ failure: CertificateFailure, in place: String) {
        switch failure {
        case .unreadable(let reason):
            self.init(.inputMalformed, "\(place) cannot be read.", why: reason, advice: "Nothing was imported.")
        case .tooLarge(let what):
            self.init(.inputMalformed, "\(place) is not taken.", why: "It has more than is taken: \(what).")
        case .wrongPassphrase:
            self.init(
                .wrongPassphrase, "\(place) does not open.",
                why: "This is not its passphrase, or the file is damaged.", advice: "Try again; nothing was imported.")
        case .unsupported(let what):
            self.init(.inputMalformed, "\(place) is of a kind that is not read.", why: what)
        }
    }
}
