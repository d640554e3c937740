import CLatchkeyShims
import Glibc

/// A copy of what can be read only once, in a file without a name: it is gone with this process, however that ends.
@safe package final class SpoolFile {
    private let descriptor: Int32
    private let directory: String
    private var count = 0

    /// - Parameter directory: where there is room; `TMPDIR`, else `/var/tmp`, if nil.
    package init(in directory: String? = nil) throws(CommandFailure) {
        let directory = directory ?? Self.usualDirectory
        let unnamed = unsafe lk_file_open_unnamed(directory)
        let descriptor = unnamed == -EOPNOTSUPP ? Self.openNamed(in: directory) : unnamed
        self.directory = directory
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw Self.failure(directory, -descriptor) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        guard unsafe Descriptor.write(bytes, to: descriptor) else { throw Self.failure(directory, errno) }
        count += bytes.count
    }

    /// Fills the buffer with what begins at the offset; fewer bytes are the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CommandFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let got = unsafe pread(descriptor, room.baseAddress, room.count, offset + filled)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.failure(directory, errno) }
            guard got > 0 else { break }
            filled += got
        }
        return filled
    }

    private static var usualDirectory: String {
        guard let named = unsafe getenv("TMPDIR") else { return "/var/tmp" }
        let directory = unsafe String(cString: named)
        return directory.isEmpty ? "/var/tmp" : directory
    }

    private static func openNamed(in directory: String) -> Int32 {
        let path = "\(directory)/.latchkey-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return -errno }
        unsafe unlink(path)
        return descriptor
    }

    private static func failure(_ directory: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .outputNotWritten, "There is no copy of standard input in \(directory), and nothing was decrypted.",
            why: "It is checked before it is decrypted, so it is needed twice. \(SystemError.text(number)).",
            advice: "Set TMPDIR to a directory with room for all of it, or name a file instead.")
    }
}
