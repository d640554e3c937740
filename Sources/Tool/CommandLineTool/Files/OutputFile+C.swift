import CLatchkeyShims
import Glibc
import LatchkeyPlainText

/// Where a result goes: standard output, or a file that is there when it is complete and not before.
package enum OutputTarget: Sendable, Equatable {
    case standardOutput
    case file(String, replacing: Bool)

    /// The name in messages.
    package var name: String {
        switch self {
        case .standardOutput: "Standard output"
        case .file(let path, _): PlainText.escaped(path)
        }
    }
}

/// A result while it is written.
///
/// A file is written without a name, in the directory where it will be, and gets its name from ``complete()``: whatever
/// ends the process before, `kill -9` and power failures included, leaves nothing.
///
/// It has a name that begins with `.latchkey-` while it replaces another file, for the moment in ``complete()`` between its
/// naming and its renaming; and where the file system has no files without names, all the time. Failures and signals remove
/// it, but `kill -9`, power failures, signals of real time and faults of the program (`SIGSEGV`, `SIGABRT`) leave it: in the
/// former case it is the whole result.
@safe package final class OutputFile {
    private let target: OutputTarget
    private let offersReplacing: Bool
    private let descriptor: Int32
    /// The name of a file that has to have one.
    private var temporary: String?

    /// - Parameters:
    ///   - offersReplacing: the command has the options `--output` and `--force`.
    ///   - testOnlyNamed: as where no file can be without a name.
    package init(
        _ target: OutputTarget, offersReplacing: Bool = true, testOnlyNamed: Bool = false
    ) throws(CommandFailure) {
        self.target = target
        self.offersReplacing = offersReplacing
        guard case .file(let path, let replacing) = target else {
            descriptor = STDOUT_FILENO
            return
        }
        if let obstacle = Self.obstacle(at: path, replacing: replacing, offersReplacing) {
            descriptor = -1
            throw obstacle
        }
        let directory = PathText.directory(of: path)
        let unnamed = unsafe testOnlyNamed ? -EOPNOTSUPP : lk_file_open_unnamed(directory)
        guard unnamed == -EOPNOTSUPP else {
            descriptor = unnamed
            guard unnamed >= 0 else { throw .outputNotWritten(path, -unnamed) }
            return
        }
        let temporary = Self.newName(in: directory)
        // Before there is a file: a signal in between removes nothing.
        let isWatched = unsafe lk_file_remove_at_signal(temporary)
        descriptor = unsafe isWatched < 0 ? -1 : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let number = isWatched < 0 ? -isWatched : errno
            lk_file_remove_at_signal(nil)
            throw .outputNotWritten(path, number)
        }
        // Independent of the umask; a file system without modes refuses it.
        fchmod(descriptor, 0o600)
        self.temporary = temporary
    }

    deinit {
        if let temporary {
            unsafe unlink(temporary)
            lk_file_remove_at_signal(nil)
        }
        if case .file = target, descriptor >= 0 { close(descriptor) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            guard count >= 0 else {
                guard errno == EINTR || waits(errno) else { throw failure(errno) }
                continue
            }
            unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Everything is written: the file gets its name, for good. Once.
    package func complete() throws(CommandFailure) {
        guard case .file(let path, let replacing) = target else { return }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
        if replacing {
            // A name cannot be given to a file without one where another has it: first an own one, then that moves.
            if temporary == nil {
                let name = Self.newName(in: PathText.directory(of: path))
                unsafe lk_file_remove_at_signal(name)
                temporary = name
                let named = unsafe lk_file_name(descriptor, name)
                guard named == 0 else { throw failure(-named) }
            }
            if let obstacle = Self.obstacle(at: path, replacing: true, offersReplacing) { throw obstacle }
            guard let name = temporary, unsafe rename(name, path) == 0 else { throw failure(errno) }
        } else {
            let named = unsafe temporary.map { unsafe lk_file_move_to_new($0, path) } ?? lk_file_name(descriptor, path)
            guard named != -EEXIST else { throw .outputExists(path, offersReplacing) }
            guard named == 0 else { throw failure(-named) }
        }
        temporary = nil
        lk_file_remove_at_signal(nil)
        let directory = unsafe open(PathText.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        // The file is complete and has its name; a directory that cannot be synced does not undo that.
        fsync(directory)
        close(directory)
    }

    /// The failure for an existing file of that name that stands in the way.
    private static func obstacle(
        at path: String, replacing: Bool, _ offersReplacing: Bool
    ) -> CommandFailure? {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else { return nil }
        guard replacing else { return .outputExists(path, offersReplacing) }
        guard information.st_mode & S_IFMT != S_IFREG else { return nil }
        return CommandFailure(
            .outputNotWritten, "\(PlainText.escaped(path)) is not a regular file, and was not changed.",
            why: "--force replaces files, and nothing else.", advice: "Name another file with --output.")
    }

    private func failure(_ number: Int32) -> CommandFailure {
        .outputNotWritten(target == .standardOutput ? "All of standard output" : target.name, number)
    }

    /// Another process may have made standard output nonblocking.
    private func waits(_ number: Int32) -> Bool {
        guard number == EAGAIN else { return false }
        var source = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&source, 1, -1) >= 0 || errno == EINTR
    }

    private static func newName(in directory: String) -> String {
        "\(directory)/.latchkey-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
    }
}

extension CommandFailure {
    static func outputExists(_ path: String, _ offersReplacing: Bool) -> CommandFailure {
        CommandFailure(
            .outputExists, "\(PlainText.escaped(path)) exists already, and nothing was written.",
            advice: offersReplacing
                ? "Name another file with --output, move that one away, or replace it with --force."
                : "Name another file, or move that one away.")
    }

    static func outputNotWritten(_ name: String, _ number: Int32) -> CommandFailure {
        let advice =
            switch number {
            case ENOSPC, EDQUOT, EFBIG: "Make room, or name a file on another disk with --output."
            case EPIPE: "The program that was to read it has ended."
            default: "Name a file in a directory that exists and where this user may write."
            }
        return CommandFailure(
            .outputNotWritten, "\(PlainText.escaped(name)) could not be written.", why: SystemError.text(number),
            advice: advice)
    }
}
