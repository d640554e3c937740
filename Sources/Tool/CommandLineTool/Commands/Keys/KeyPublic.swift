package import ArgumentParser
import LatchkeyAsymmetricKeys
import LatchkeyEncoding

/// `latchkey key public`.
package struct KeyPublic: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "public", abstract: "Write the public half of a key: as the PEM that OpenSSL reads, or as bytes.")

    package enum Form: String, EnumerableFlag {
        case pem
        case der
        case raw

        package static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .pem: "PEM text, PUBLIC KEY (the default)."
            case .der: "DER bytes, SubjectPublicKeyInfo."
            case .raw: "The bytes that programs get: the point of X9.63, or RSAPublicKey of PKCS#1."
            }
        }
    }

    @Flag(exclusivity: .exclusive)
    package var form: Form = .pem

    @OptionGroup package var output: BytesOutput
    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let lookup = try KeyLookup(device, selection.group, asking, common)
        let key = try lookup.publicKey(selection.pairs())
        let bytes =
            switch form {
            case .pem: Array(key.pem.utf8)
            case .der: key.subjectPublicKeyInfo
            case .raw: key.externalRepresentation
            }
        let json: [(String, JSONValue)] = [
            ("id", .string(Hexadecimal.text(key.digest))), ("bits", .integer(Int64(key.kind.sizeInBits))),
            ("publicKey", form == .pem ? .string(key.pem) : .object([("hex", .string(Hexadecimal.text(bytes)))])),
        ]
        return try output.report(bytes, isText: form == .pem, json: json)
    }
}
