package import ArgumentParser
import LatchkeyAsymmetricKeys
import LatchkeyEncoding

/// `latchkey key verify`.
package struct KeyVerify: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check a key's signature of a file or standard input.",
        discussion: "Ends with 0 if it is, with 62 if it is not.")

    @Option(
        name: .customLong("public"), help: "The public key, PEM or DER, in place of one of the keychain.",
        completion: .file())
    package var publicKey: String?

    @Option(help: "The file with the signature.", completion: .file())
    package var signature: String

    @Flag(name: .customLong("hex"), help: "The signature is written in hexadecimal digits.")
    package var isHexadecimal = false

    @Flag(help: "The signature is written in base64.")
    package var base64 = false

    @Option(
        name: .long,
        help: ArgumentHelp("\(SignatureName.choices).", valueName: "name"))
    package var algorithm: SignatureName?

    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    @Argument(help: "The file; - is standard input, the default.", completion: .file())
    package var file = "-"

    package init() {}

    package mutating func validate() throws {
        guard !isHexadecimal || !base64 else { throw ValidationError("--hex and --base64 exclude each other.") }
        let names = [selection.label, selection.tag, selection.id].compactMap { $0 }
        guard publicKey == nil || names.isEmpty else {
            throw ValidationError("The key comes from --public or from the keychain, not from both.")
        }
        guard signature != "-" || file != "-" else {
            throw ValidationError("Signature and message cannot both come from standard input.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let signature = try readSignature()
        let key = try key()
        let name = algorithm ?? SignatureName.usual(for: key.kind.type)
        let digest = try MessageInput.digest(of: file, name.digest)
        do throws(KeyOperationFailure) {
            try key.verify(signature, over: digest, name.ofDigest)
        } catch .notSigned {
            throw CommandFailure(
                .signatureNotVerified, "The signature does not verify.",
                why: "It is not of this key over these bytes with \(name.text).",
                advice: "Either is altered, or the key or the algorithm is another one.")
        } catch {
            throw CommandFailure(error, doing: name.text)
        }
        return Report(
            "OK: the signature is of this key (\(name.text)).",
            json: .object([
                ("verified", .boolean(true)), ("algorithm", .string(name.text)),
                ("id", .string(Hexadecimal.text(key.digest))),
            ]))
    }

    private func key() throws(CommandFailure) -> PublicKey {
        if let publicKey { return try PublicKeyFile.read(publicKey) }
        let pairs = try selection.pairs()
        return try KeyLookup(DeviceAccess(common), selection.group, asking, common).publicKey(pairs)
    }

    private func readSignature() throws(CommandFailure) -> [UInt8] {
        let bytes = try MessageInput.contents(of: signature, limit: 1 << 16)
        guard isHexadecimal || base64 else { return bytes }
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let decoded =
            base64 ? Base64.bytes(from: bytes) : Hexadecimal.bytes(from: bytes.filter { !blanks.contains($0) })
        guard let decoded else {
            throw CommandFailure(
                .inputMalformed, "\(signature) is not \(base64 ? "base64" : "hexadecimal").",
                advice: "Leave \(base64 ? "--base64" : "--hex") out if it holds the bytes themselves.")
        }
        return decoded
    }
}
