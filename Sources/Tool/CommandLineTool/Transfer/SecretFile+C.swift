import Glibc
import LatchkeyPrompt
package import LatchkeySecretMemory

/// Files that hold secrets, read whole into locked memory.
package enum SecretFile {
    /// `-` is standard input.
    package static func read(_ path: String) throws(CommandFailure) -> SecretBox {
        let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .inputUnreadable, "\(path) could not be read.", why: SystemError.text(errno),
                advice: "Name a file that exists and that this user may read.")
        }
        defer {
            if path != "-" { close(descriptor) }
        }
        do {
            return try SecretReader.everything(from: descriptor, limit: TransferLimits.fileByteCount)
        } catch .cannotRead(let number) {
            throw CommandFailure(.inputUnreadable, "\(path) could not be read.", why: SystemError.text(number))
        } catch {
            throw CommandFailure(TransferFailure(.fileTooLarge), path: path)
        }
    }

    /// True if what was read is still there under that name: not behind a descriptor (`-`, `/dev/stdin`, `/dev/fd/63`
    /// of a shell), and not in a pipe.
    package static func keepsContents(_ path: String) -> Bool {
        guard path != "-", path != "/dev/stdin", !path.hasPrefix("/dev/fd/"), !path.hasPrefix("/proc/") else {
            return false
        }
        var information = stat()
        return unsafe stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
    }
}

extension CommandFailure {
    /// A file that breaks a rule of its format.
    package init(_ failure: TransferFailure, path: String) {
        let place = failure.line > 0 ? ", line \(failure.line)" : ""
        self.init(
            .inputMalformed, "\(path)\(place): nothing was imported.", why: "In this file, \(failure.rule.rawValue).",
            advice: "Fix the file and import it again.")
    }
}
