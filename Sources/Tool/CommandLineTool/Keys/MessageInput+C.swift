import Glibc
package import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// The message that a signature is about: a file or standard input, of any length.
package enum MessageInput {
    private static let chunkByteCount = 1 << 16

    /// The digest of everything in the file; `-` is standard input. At no time more than a piece of it is in memory.
    package static func digest(of path: String, _ algorithm: DigestAlgorithm) throws(CommandFailure) -> [UInt8] {
        let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
        defer {
            if path != "-" { close(descriptor) }
        }
        var digest = RunningDigest(algorithm)
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        while true {
            let count = unsafe read(descriptor, &chunk, chunkByteCount)
            guard count >= 0 else {
                guard errno == EINTR else { throw .unreadable(path, errno) }
                continue
            }
            guard count > 0 else { return digest.finish() }
            unsafe chunk.withUnsafeBytes { bytes in
                unsafe digest.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
    }

    /// Reads a small file that is not secret: a public key, a certificate, a signature.
    package static func contents(of path: String, limit: Int = 1 << 20) throws(CommandFailure) -> [UInt8] {
        let secret = try SecretFile.read(path)
        guard secret.count <= limit else {
            throw CommandFailure(
                .inputMalformed, "\(path) is not what is expected here.", why: "It is longer than \(limit) bytes.")
        }
        return unsafe secret.withBytes { unsafe Array($0) }
    }
}

extension CommandFailure {
    fileprivate static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .inputUnreadable, "\(path == "-" ? "Standard input" : path) could not be read.",
            why: SystemError.text(number), advice: "Name a file that exists and that this user may read.")
    }
}
