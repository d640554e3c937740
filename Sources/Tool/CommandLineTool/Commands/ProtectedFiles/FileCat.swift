package import ArgumentParser
import Glibc
import LatchkeyFileAccess
import LatchkeyPlainText

/// `latchkey file cat`.
package struct FileCat: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Write the content of a file to standard output.",
        discussion: "Also that of a file in clear. Each piece is verified before it is written.")

    @Argument(help: "The file.", completion: .file())
    package var file: String

    @Option(name: [.customShort("o"), .long], help: "Write to this new file, which only its owner can read.")
    package var output: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        if file.isEmpty || output?.isEmpty == true { throw ValidationError("The file has no name.") }
        if common.json, output == nil { throw ValidationError("--json needs --output: the content is the output.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        signal(SIGXFSZ, SIG_IGN)
        let device = try DeviceAccess(common)
        let path = FileArgument.absolute(file)
        let opened: FileVault.Opened
        do throws(AccessFailure) {
            opened = try device.retryingUnlocked { () throws(AccessFailure) in
                try device.files.openAny(path, forWriting: false)
            }
        } catch {
            throw CommandFailure(error, path: file)
        }
        let target = output.map { OutputTarget.file($0, replacing: false) } ?? .standardOutput
        let result = try OutputFile(target)
        let byteCount = try copy(opened, to: result)
        try result.complete()
        guard let output else { return Report(pieces: [], json: .null) }
        return Report(
            "Written to \(PlainText.escaped(output)): \(FileSize.text(byteCount)).",
            json: .object([("output", .string(output)), ("bytes", .integer(Int64(byteCount)))]))
    }

    private func copy(_ opened: FileVault.Opened, to result: OutputFile) throws(CommandFailure) -> Int {
        let buffer = FileBuffer(byteCount: FileSize.piece)
        var offset = 0
        while true {
            let count: Int
            do throws(AccessFailure) {
                switch opened {
                case .protected(let file): count = try unsafe file.read(at: UInt64(offset), into: buffer.bytes)
                case .clear(let descriptor):
                    count = try unsafe descriptor.read(at: UInt64(offset), into: buffer.bytes)
                }
            } catch {
                throw CommandFailure(error, path: file)
            }
            guard count > 0 else { return offset }
            try unsafe result.write(buffer.prefix(count))
            offset += count
        }
    }
}
