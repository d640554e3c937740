import Glibc
package import LatchkeySecretMemory

/// Files that a command leaves its result in.
package enum ResultFile {
    /// Bytes that everybody may see; an older file of the name is written over.
    package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .resultNotWritten(path, errno) }
        defer { close(descriptor) }
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe Descriptor.write($0, to: descriptor) }
        guard isWritten else { throw .resultNotWritten(path, errno) }
    }

    /// A secret: a new file that only its owner reads. Another file is never written over, nor is half a one left.
    package static func write(_ secret: SecretBox, to path: String) throws(CommandFailure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw CommandFailure(
                    .failure, "\(path) exists already, and nothing was written.",
                    why: "A secret goes into a new file that only its owner reads.",
                    advice: "Name another file, or move that one away.")
            }
            throw .resultNotWritten(path, errno)
        }
        defer { close(descriptor) }
        let isWritten = unsafe secret.withBytes { unsafe Descriptor.write($0, to: descriptor) }
        guard isWritten, fsync(descriptor) == 0 else {
            let number = errno
            unsafe unlink(path)
            throw .resultNotWritten(path, number)
        }
    }
}

extension CommandFailure {
    fileprivate static func resultNotWritten(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .failure, "\(path) cannot be written.", why: SystemError.text(number),
            advice: "Name a file in a directory where this user may write.")
    }
}
