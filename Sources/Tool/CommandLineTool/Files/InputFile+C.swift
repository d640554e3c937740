import Glibc
import LatchkeyPlainText

/// The bytes that a command encrypts or decrypts: a file, or whatever standard input is. Read in pieces.
@safe package final class InputFile {
    /// Nil for standard input.
    package let path: String?
    /// The number of bytes; nil if it is known only at their end.
    package let byteCount: Int?
    private let descriptor: Int32
    /// Where the bytes begin in the file; nil if they can be read only once.
    private let start: Int?

    /// - Parameter path: `-` is standard input.
    package init(_ path: String) throws(CommandFailure) {
        let isStandardInput = path == "-"
        let name = isStandardInput ? Self.standardInput : PlainText.escaped(path)
        descriptor = unsafe isStandardInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        self.path = isStandardInput ? nil : path
        var information = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &information) == 0 else {
            let number = errno
            start = nil
            byteCount = nil
            throw .inputUnreadable(name, number)
        }
        let kind = information.st_mode & S_IFMT
        // Of other things a position says nothing: a terminal or a pipe has none, a character device need not keep to it.
        let position = kind == S_IFREG || kind == S_IFBLK ? lseek(descriptor, 0, SEEK_CUR) : -1
        start = position >= 0 ? position : nil
        // Files of /proc and the like say that they are empty.
        let size = kind == S_IFREG ? Int(information.st_size) - max(0, position) : 0
        byteCount = size > 0 ? size : nil
        if start != nil { posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL) }
        guard kind != S_IFDIR else {
            throw CommandFailure(
                .inputUnreadable, "\(name) is a directory.", why: "One file is encrypted or decrypted at a time.",
                advice: "Pack it, for instance: tar c DIRECTORY | latchkey encrypt -o DIRECTORY.tar.rnc")
        }
        guard isatty(descriptor) == 0 else {
            throw CommandFailure(
                .usage, "There is nothing to read.", why: "\(name) is a terminal.",
                advice: "Name a file, or pipe something in.")
        }
    }

    deinit {
        if path != nil, descriptor >= 0 { close(descriptor) }
    }

    /// The name in messages.
    package var name: String { path.map(PlainText.escaped) ?? Self.standardInput }

    /// True if it can be read a second time.
    package var isRereadable: Bool { start != nil }

    /// Fills the buffer with the bytes that begin `offset` bytes after the beginning; fewer bytes are the end. An input
    /// that is not rereadable is read in order, and the offset does not count.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CommandFailure) -> Int {
        var count = 0
        while count < buffer.count {
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got =
                if let start {
                    unsafe pread(descriptor, room.baseAddress, room.count, start + offset + count)
                } else {
                    unsafe Glibc.read(descriptor, room.baseAddress, room.count)
                }
            guard got >= 0 else {
                guard errno == EINTR || waits(errno) else { throw .inputUnreadable(name, errno) }
                continue
            }
            guard got > 0 else { break }
            count += got
        }
        return count
    }

    /// Returns true if `other` is a descriptor of the same file, which would then be read while it grows.
    package func isSameFile(as other: Int32) -> Bool {
        var (own, its) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe fstat(other, &its) == 0 else { return false }
        return own.st_mode & S_IFMT == S_IFREG && own.isSameFile(as: its)
    }

    /// Another process may have made standard input nonblocking.
    private func waits(_ number: Int32) -> Bool {
        guard number == EAGAIN else { return false }
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&source, 1, -1) >= 0 || errno == EINTR
    }

    private static let standardInput = "Standard input"
}

extension CommandFailure {
    fileprivate static func inputUnreadable(_ name: String, _ number: Int32) -> CommandFailure {
        CommandFailure(
            .inputUnreadable, "\(name) could not be read.", why: SystemError.text(number),
            advice: number == EIO
                ? "The disk may be failing: copy what can be read, and take it from a backup."
                : "Name a file that exists and that this user may read.")
    }
}
