import Glibc
import LatchkeyPlainText

/// The file that runs when a file is started.
struct ProgramPath {
    /// Without links.
    let path: String
    /// The script, where the file is one; then the path is that of its interpreter.
    let script: String?

    init(of name: String) throws(CommandFailure) {
        let named = try Self.resolved(name)
        guard let interpreter = try Self.interpreter(of: named) else {
            path = named
            script = nil
            return
        }
        path = try Self.resolved(interpreter)
        script = named
    }

    private static func resolved(_ name: String) throws(CommandFailure) -> String {
        guard let resolved = unsafe realpath(name, nil) else {
            throw CommandFailure(
                .inputUnreadable, "\(PlainText.escaped(name)) cannot be read.", why: SystemError.text(errno))
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns the text after `#!`; nil for a file that is not a script.
    private static func interpreter(of path: String) throws(CommandFailure) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel reads as much.
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count > 2, bytes[0] == UInt8(ascii: "#"), bytes[1] == UInt8(ascii: "!") else { return nil }
        let line = bytes[2..<count].prefix { $0 != UInt8(ascii: "\n") }
        let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = words.first else {
            throw CommandFailure(.inputMalformed, "\(PlainText.escaped(path)) is a script without an interpreter.")
        }
        return String(decoding: first, as: UTF8.self)
    }
}
