package import ArgumentParser
import Glibc
import LatchkeyPlainText
package import LatchkeySecretMemory

/// The form in which a command writes the bytes of one secret that it found.
package struct SecretOutput: ParsableArguments {
    @Flag(help: "Write the secret alone, byte for byte, without a newline of its own.")
    package var raw = false

    @Flag(name: .customLong("hex"), help: "Write the secret alone, in hexadecimal digits.")
    package var isHexadecimal = false

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write the secret, byte for byte, to this new file, which only its owner can read; - is standard output.",
            valueName: "file"),
        completion: .file())
    package var output: String?

    package init() {}

    package mutating func validate() throws {
        guard !raw || !isHexadecimal else { throw ValidationError("--raw and --hex exclude each other.") }
        if let output, output.isEmpty { throw ValidationError("The file after --output has no name.") }
    }

    /// True if the secret is wanted instead of the item.
    package var isWanted: Bool { raw || isHexadecimal || output != nil }

    /// The secret, and nothing else, where the options say; `json` is the document of a command that writes none of it
    /// to a file.
    ///
    /// - Parameter asJSON: standard output gets the document, and so never the bytes.
    package func report(
        _ secret: SecretBox, json: JSONValue, asJSON: Bool
    ) throws(CommandFailure) -> Report {
        let written = isHexadecimal ? SecretText.withNewline(SecretText.hexadecimal(secret)) : secret
        if let output, output != "-" {
            try ResultFile.write(written, to: output)
            return Report(
                "Written to \(PlainText.escaped(output)).",
                json: .object([("output", .string(output)), ("bytes", .integer(Int64(written.count)))]))
        }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        guard asJSON || isHexadecimal || !isTerminal || SecretText.isForTerminals(secret) else {
            throw CommandFailure(
                .secretsToTerminal, "The secret was not written.",
                why:
                    "Standard output is a terminal. The secret is not plain text, or has characters that a terminal obeys or "
                    + "does not show: controls, a carriage return alone, marks that turn the direction of writing.",
                advice:
                    "-o FILE writes it to a file, --hex in hexadecimal digits; or send it to a program, with --raw byte "
                    + "for byte.")
        }
        let isExact = raw || isHexadecimal || output != nil
        let needsNewline = isExact ? false : SecretText.needsNewline(secret, onTerminal: isTerminal)
        return Report(pieces: [.secret(written)] + (needsNewline ? [.text("\n")] : []), json: json)
    }
}

extension CommandFailure {
    /// The bytes of an item were asked for, and it has none.
    package static var noSecret: CommandFailure {
        CommandFailure(
            .itemNotFound, "The item has no secret.", why: "It was added without one.",
            advice: "Without -w, --raw, --hex and -o its attributes are shown.")
    }
}
