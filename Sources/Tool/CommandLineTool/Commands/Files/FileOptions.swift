package import ArgumentParser
import Glibc
import LatchkeyPlainText

/// The input and output of `encrypt` and `decrypt`.
package struct FileOptions: ParsableArguments {
    @Argument(help: "The file; - is standard input, the default.", completion: .file())
    package var file = "-"

    @Option(
        name: [.customShort("o"), .long],
        help: "Write to this file, which only its owner can read; - is standard output.", completion: .file())
    package var output: String?

    @Flag(name: .shortAndLong, help: "Replace the output if it is there.")
    package var force = false

    @Flag(name: .shortAndLong, help: "Show no progress, and say nothing but warnings if all went well.")
    package var quiet = false

    package init() {}

    package mutating func validate() throws {
        if file.isEmpty { throw ValidationError("The file has no name.") }
        if let output, output.isEmpty { throw ValidationError("The file after --output has no name.") }
    }

    package static let nameEnding = ".rnc"

    package var isStandardInput: Bool { file == "-" }

    /// Where the encrypted file goes.
    package var encryptedTarget: OutputTarget {
        target(output ?? (isStandardInput ? "-" : file + Self.nameEnding))
    }

    /// Where the decrypted file goes.
    package func decryptedTarget() throws(CommandFailure) -> OutputTarget {
        if let output { return target(output) }
        guard !isStandardInput else { return .standardOutput }
        let name = PathText.name(of: file)
        guard name.hasSuffix(Self.nameEnding), name.utf8.count > Self.nameEnding.utf8.count else {
            throw CommandFailure(
                .usage, "The decrypted file has no name.",
                why:
                    "It would be the input's name without \(Self.nameEnding), and \(PlainText.escaped(file)) lacks it.",
                advice: "Name it with --output; - is standard output.")
        }
        return .file(String(file.dropLast(Self.nameEnding.count)), replacing: force)
    }

    private func target(_ path: String) -> OutputTarget {
        path == "-" ? .standardOutput : .file(path, replacing: force)
    }

    /// Refuses a standard output that is unsuitable for the output.
    func check(_ target: OutputTarget, for input: InputFile, _ common: CommonOptions) throws(CommandFailure) {
        guard target == .standardOutput else { return }
        guard !common.json else {
            throw CommandFailure(
                .usage, "--json does not go with standard output as the output.",
                why: "The document would stand among the bytes of the file.", advice: "Name a file with --output.")
        }
        guard isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .secretsToTerminal, "Nothing was written.",
                why: "Standard output is a terminal, and the bytes of a file can do anything to it.",
                advice: "Name a file with --output, or send it to a file or a program: | less")
        }
        guard !input.isSameFile(as: STDOUT_FILENO) else {
            throw CommandFailure(
                .usage, "Standard output is the input.", why: "It would grow while it is read.",
                advice: "Send it to another file, or name one with --output.")
        }
    }

    /// The report at the end.
    func report(
        _ target: OutputTarget, byteCount: Int, version: Int, done: String
    ) -> Report {
        guard case .file(let path, _) = target else { return Report("", json: .null) }
        return Report(
            quiet ? "" : "\(target.name): \(FileSize.text(byteCount)) \(done).",
            json: .object([
                ("input", isStandardInput ? .null : .string(file)), ("output", .string(path)),
                ("bytes", .integer(Int64(byteCount))), ("version", .integer(Int64(version))),
                ("beginningChecked", .boolean(version != 1)),
            ]))
    }
}
