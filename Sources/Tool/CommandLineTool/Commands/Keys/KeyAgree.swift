package import ArgumentParser
import Glibc
import LatchkeyAsymmetricKeys
package import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeySecretMemory

/// `latchkey key agree`.
package struct KeyAgree: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "agree", abstract: "Agree on a secret with the owner of another key (ECDH).",
        discussion: """
            Both sides get the same bytes, each from its own private key and the other's public one. They are derived \
            (X9.63) from the coordinate that the two keys share: --derive names the digest, --size how many bytes, and \
            --info what else goes into it, for instance both public keys. --raw gives the coordinate itself, which is \
            no key: its bits are not evenly spread.
            """)

    @Option(help: "The other side's public key, PEM or DER.", completion: .file())
    package var peer: String

    @Option(help: ArgumentHelp("sha1, sha224, sha256 (the default), sha384 or sha512.", valueName: "digest"))
    package var derive: DerivationName?

    @Option(help: ArgumentHelp("The number of bytes; 32 if not given.", valueName: "bytes"))
    package var size: Int?

    @Option(help: ArgumentHelp("Public input of the derivation, beside the secret.", valueName: "hex"))
    package var info: String?

    @Flag(help: "The coordinate itself, not derived.")
    package var raw = false

    @Option(
        name: [.customShort("o"), .long], help: "Write to this new file, which only its owner can read.",
        completion: .file())
    package var output: String?

    @Flag(name: .customLong("hex"), help: "Write hexadecimal digits, also to a terminal.")
    package var isHexadecimal = false

    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard !raw || (derive == nil && size == nil && info == nil) else {
            throw ValidationError("--raw goes with none of --derive, --size and --info.")
        }
        if let size, !(1...Self.sizeLimit).contains(size) {
            throw ValidationError("The size is between 1 and \(Self.sizeLimit) bytes.")
        }
        guard !common.json || (output != nil && !isHexadecimal) else {
            throw ValidationError("--json goes with --output only: the document does not hold the secret.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        guard output != nil || isHexadecimal || isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .secretsToTerminal, "The secret was not written.",
                why: "Standard output is a terminal, where it would stay readable.",
                advice: "Send it to a program, name a file with --output, or say --hex.")
        }
        let sharedInfo = try sharedInfo()
        let peer = try PublicKeyFile.read(peer)
        let pairs = try selection.pairs()
        let key = try KeyLookup(DeviceAccess(common), selection.group, asking, common).privateKey(pairs)
        let digest = raw ? nil : derive?.digest ?? .sha256
        let exchange = ExchangeAlgorithm(hasCofactor: false, derivation: digest)
        let count = raw ? nil : size ?? 32
        let operations = try operations(key, peer)
        let secret: SecretBox
        do {
            secret = try operations.exchange(
                with: peer, exchange, requestedByteCount: count, sharedInfo: sharedInfo)
        } catch {
            throw CommandFailure(error, doing: "agreeing on a secret")
        }
        return try report(secret)
    }

    /// The enclave is asked here, so that its own refusal is shown.
    private func operations(
        _ key: StoredKey, _ peer: PublicKey
    ) throws(CommandFailure) -> any PrivateKeyOperations {
        switch key.material {
        case .privateKey(let key): return key
        case .enclave(let key): return AgreedSecret(publicKey: try key.publicKey(), secret: try key.agree(with: peer))
        case .publicKey: throw CommandFailure(.unsupported, doing: "agreeing on a secret")
        }
    }

    private func sharedInfo() throws(CommandFailure) -> [UInt8] {
        guard let info else { return [] }
        guard let bytes = Hexadecimal.bytes(from: info.utf8) else {
            throw CommandFailure(.usage, "The value of --info is not hexadecimal.")
        }
        return bytes
    }

    private func report(_ secret: SecretBox) throws(CommandFailure) -> Report {
        let line = SecretBox(copying: [UInt8(ascii: "\n")])
        let written = isHexadecimal ? SecretText.hexadecimal(secret).appending(line, count: 1) : secret
        let json: [(String, JSONValue)] = [("bytes", .integer(Int64(secret.count)))]
        guard let output else { return Report(pieces: [.secret(written)], json: .object(json)) }
        try ResultFile.write(written, to: output)
        return Report(
            "\(ItemCount.text(secret.count, "byte")) written to \(output).",
            json: .object(json + [("output", .string(output))]))
    }

    private static let sizeLimit = 65536
}

/// The value of `--derive`.
package struct DerivationName: ExpressibleByArgument, Sendable {
    package let digest: DigestAlgorithm

    package init?(argument: String) {
        let known = DigestAlgorithm.ofKeyAlgorithms.first { $0.name.lowercased() == argument.lowercased() }
        guard let known else { return nil }
        digest = known
    }

    package static var allValueStrings: [String] { DigestAlgorithm.ofKeyAlgorithms.map { $0.name.lowercased() } }
}
