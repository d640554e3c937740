package import ArgumentParser
import Glibc
import LatchkeyEncoding

/// The destination and the form of bytes that are not secret.
package struct BytesOutput: ParsableArguments {
    @Option(name: [.customShort("o"), .long], help: "Write to this file.", completion: .file())
    package var output: String?

    @Flag(name: .customLong("hex"), help: "Write hexadecimal digits.")
    package var isHexadecimal = false

    @Flag(help: "Write base64.")
    package var base64 = false

    package init() {}

    package mutating func validate() throws {
        guard !isHexadecimal || !base64 else { throw ValidationError("--hex and --base64 exclude each other.") }
        if let output, output.isEmpty { throw ValidationError("The file after --output has no name.") }
    }

    /// The bytes in the requested form. On a terminal, bytes that are not text are written in base64.
    func report(
        _ bytes: [UInt8], isText: Bool = false, json: [(String, JSONValue)]
    ) throws(CommandFailure) -> Report {
        let written: [UInt8]
        if isHexadecimal {
            written = Array((Hexadecimal.text(bytes) + "\n").utf8)
        } else if base64 || (!isText && output == nil && isatty(STDOUT_FILENO) == 1) {
            written = Array((Base64.text(bytes) + "\n").utf8)
        } else {
            written = bytes
        }
        guard let output else { return Report(pieces: [.bytes(written)], json: .object(json)) }
        try ResultFile.write(written, to: output)
        return Report("Written to \(output).", json: .object(json + [("output", .string(output))]))
    }
}
