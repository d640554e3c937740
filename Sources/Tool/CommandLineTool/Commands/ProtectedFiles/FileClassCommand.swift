package import ArgumentParser
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey file class`.
package struct FileClassCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "class", abstract: "Show the classes of files and directories, or set them.",
        discussion: """
            A directory's class is the one that new files in it get. A file's class is read without its key, also while \
            the device is locked. Setting the class of a protected file wraps its key anew; a file in clear becomes a \
            protected one.
            """)

    @Option(help: ArgumentHelp("Set this class: \(FileClassName.choices).", valueName: "class"))
    package var set: FileClassArgument?

    @Argument(help: "The files and directories.", completion: .file())
    package var paths: [String]

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        if paths.contains("") { throw ValidationError("A file has no name.") }
    }

    /// A path and what was found.
    private struct Row {
        let path: String
        let isDirectory: Bool
        let stored: StoredProtection

        init(_ path: String) throws(AccessFailure) {
            self.path = path
            isDirectory = StoredProtection.isDirectory(path)
            if isDirectory {
                stored = DirectoryProtection.own(ofDirectoryAt: path).map { .file($0) } ?? .clear
            } else {
                stored = try StoredProtection(of: OwnedDescriptor(opening: path, 0))
            }
        }

        var text: String {
            let name: String
            switch stored {
            case .clear: name = isDirectory ? "-" : "in clear"
            case .file(let protection), .onVolume(let protection as FileProtection?):
                name = protection.map(FileClassName.readable) ?? "unknown"
            }
            return name + String(repeating: " ", count: max(1, 20 - name.utf8.count)) + PlainText.escaped(path)
        }

        var json: JSONValue {
            .object([
                ("path", .string(path)), ("kind", .string(isDirectory ? "directory" : "file")),
                ("class", stored.protection.map { .string($0.rawValue) } ?? .null),
                ("name", stored.protection.map { .string(FileClassName.readable($0)) } ?? .null),
                ("protected", .boolean(stored != .clear)),
            ])
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = set == nil ? nil : try DeviceAccess(common)
        var rows: [Row] = []
        var failures: [(path: String, failure: CommandFailure)] = []
        for path in paths {
            do throws(AccessFailure) {
                if let protection = set?.protection, let device {
                    try device.retryingUnlocked { () throws(AccessFailure) in
                        try device.files.setProtection(protection, ofItemAt: FileArgument.absolute(path))
                    }
                }
                rows.append(try Row(path))
            } catch {
                failures.append((path, CommandFailure(error, path: path)))
            }
        }
        if let first = failures.first, paths.count == 1 { throw first.failure }
        for failure in failures { StandardError.write(failure.failure.text) }
        let failed = failures.map { path, failure in
            JSONValue.object([("path", .string(path)), ("why", .string(failure.why ?? failure.what))])
        }
        return Report(
            rows.map(\.text).joined(separator: "\n"),
            json: .object([("files", .array(rows.map(\.json))), ("failed", .array(failed))]),
            status: failures.isEmpty ? .success : .partlyTransferred)
    }
}

extension DeviceAccess {
    /// Performs an act on files; if the device is locked for it, the user at the terminal may unlock it first.
    func retryingUnlocked<Value>(
        _ body: () throws(AccessFailure) -> Value
    ) throws(AccessFailure) -> Value {
        do throws(AccessFailure) {
            return try body()
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .interactionNotAllowed, offerUnlocking() else {
                throw error
            }
            return try body()
        }
    }
}
