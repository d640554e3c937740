package import ArgumentParser
import LatchkeyAsymmetricKeys
import LatchkeyEncoding

/// `latchkey key sign`.
package struct KeySign: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Sign a file or standard input, of any length.",
        discussion: """
            Elliptic keys sign with ecdsa-sha256 unless --algorithm says otherwise, RSA keys with rsa-pkcs1-sha256. \
            The signature of ecdsa-… is in DER, that of ecdsa-rfc4754-… is r and s behind each other.
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("\(SignatureName.choices).", valueName: "name"))
    package var algorithm: SignatureName?

    @OptionGroup package var output: BytesOutput
    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    @Argument(help: "The file; - is standard input, the default.", completion: .file())
    package var file = "-"

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let lookup = try KeyLookup(device, selection.group, asking, common)
        let key = try lookup.privateKey(selection.pairs())
        let name = if let algorithm { algorithm } else { SignatureName.usual(for: try key.type()) }
        let digest = try MessageInput.digest(of: file, name.digest)
        let signature: [UInt8]
        switch key.material {
        case .enclave(let key): signature = try key.sign(digest, name)
        case .privateKey(let key):
            do throws(KeyOperationFailure) {
                signature = try key.sign(digest, name.ofDigest)
            } catch {
                throw CommandFailure(error, doing: name.text)
            }
        case .publicKey: throw CommandFailure(.unsupported, doing: name.text)
        }
        return try output.report(
            signature,
            json: [
                ("algorithm", .string(name.text)), ("id", .string(Hexadecimal.text(key.identifier))),
                ("signature", .object([("hex", .string(Hexadecimal.text(signature)))])),
            ])
    }
}
