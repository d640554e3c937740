import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// A device whose directory takes no changes: a medium mounted to be read, a backup. It is read from a copy of its files,
/// which is this process's own and goes with it, also where a signal ends it; a request that would change the device is
/// refused.
///
/// Neither the device's audit log nor its counter of wrong passcodes records the use of a copy.
final class ReadOnlyDevice: Keychain {
    private let path: String
    private let copy: ThrowawayDirectory
    private let keychain: any Keychain

    private static let copyName = "latchkey-read-only"

    static let refusal = Refusal(as: .directoryTakesNoChanges)

    /// No daemon serves a directory without changes. A command on a terminal asks for the passcode, and uses it itself.
    static let unlockAdvice =
        "Run the command on a terminal, where it asks for the passcode. A daemon needs a directory that it can change: "
        + "copy this one, and name the copy with --device."

    /// Returns true if there is a device at the path that this process can read, but not open as usual.
    static func isNeeded(at path: String) -> Bool {
        let lock = DeviceDirectory(path: path).lock
        guard unsafe access(lock, F_OK) == 0, unsafe access(path, W_OK) != 0 else { return false }
        return errno == EROFS || errno == EACCES
    }

    /// - Parameter open: opens the device in the directory of the copy.
    init(
        path: String, open: (_ copy: String) throws(DeviceFailure) -> any Keychain
    ) throws(CommandFailure) {
        self.path = path
        try Self.checkOwner(of: path)
        copy = try Self.temporaryDirectory()
        for part in ["enclave", "keychain", "signatures"] {
            try Self.copy(path + "/" + part, to: copy.path + "/" + part)
        }
        do throws(DeviceFailure) {
            keychain = try open(copy.path)
        } catch {
            throw CommandFailure(error)
        }
        StandardError.write(
            "latchkey: note: the device takes no changes; it is read from a copy, which goes at the end.\n")
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        guard request.operation == .find else { return ItemReply(code: .readOnly, refusal: Self.refusal) }
        var reply = keychain.perform(request)
        if let locked = reply.refusal, locked.rule == .classKeyLocked {
            reply.refusal = locked.advising(Self.unlockAdvice)
        }
        return reply
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        guard !Question.traits.contains(.changesDevice) else { throw .declined(.readOnly, Self.refusal) }
        let answer = try keychain.ask(question)
        guard var status = answer as? DeviceStatus else { return answer }
        status.directory = path
        return status as? Question.Answer ?? answer
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        guard !Question.traits.contains(.changesDevice) else { throw EnclaveKeyRefusal(.readOnly, Self.refusal) }
        return try keychain.ask(question)
    }

    /// Files live outside of the directory, and their keys in the files: nothing here would change.
    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        try keychain.ask(question)
    }

    func openSession() -> any AuthenticationSession { keychain.openSession() }

    // MARK: The copy

    /// In memory where there is such a place for this user.
    private static func temporaryDirectory() throws(CommandFailure) -> ThrowawayDirectory {
        let environment = ProcessInfo.processInfo.environment
        let places = [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap { $0 }
            .filter { PathText.isAbsolute($0) }
        ThrowawayDirectory.removeAbandoned(named: copyName, in: places)
        do throws(ThrowawayFailure) {
            return try ThrowawayDirectory(named: copyName, in: places, isRemovedAtSignal: true)
        } catch {
            throw CommandFailure(
                .deviceStorage, "The device takes no changes, and there is no place for a copy of it.",
                why: SystemError.text(error.errno), advice: "Name a directory where this user may write in TMPDIR.")
        }
    }

    private static func checkOwner(of path: String) throws(CommandFailure) {
        var information = stat()
        guard unsafe stat(path, &information) == 0, information.st_uid != geteuid() else { return }
        throw CommandFailure(
            .unsafePermissions, "\(path) belongs to user \(information.st_uid), not to this one (\(geteuid())).")
    }

    private static func copy(_ path: String, to target: String) throws(CommandFailure) {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else {
            guard errno == ENOENT else { throw .notCopied(path) }
            return
        }
        switch information.st_mode & S_IFMT {
        case S_IFDIR:
            guard unsafe mkdir(target, 0o700) == 0 else { throw .notCopied(target) }
            let names: [String]
            do throws(UnreadableDirectory) {
                names = try DirectoryTree.names(in: path)
            } catch {
                throw .notCopied(error.path, why: SystemError.text(error.errno))
            }
            for name in names { try copy(path + "/" + name, to: target + "/" + name) }
        case S_IFREG: try copyFile(path, to: target)
        // Without it the copy would look like a device that has less, or nothing.
        default: throw .notCopied(path, why: "It is neither a file nor a directory.")
        }
    }

    private static func copyFile(_ path: String, to target: String) throws(CommandFailure) {
        let source = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard source >= 0 else { throw .notCopied(path) }
        defer { close(source) }
        let copy = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw .notCopied(target) }
        defer { close(copy) }
        while true {
            var count = 0
            // The enclave's files hold keys: no other memory gets them.
            let piece = unsafe SecretBox(count: 1 << 16) { count = unsafe read(source, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .notCopied(path) }
            guard count > 0 else { return }
            let isWritten = unsafe piece.withBytes { bytes in
                unsafe Descriptor.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: copy)
            }
            guard isWritten else { throw .notCopied(target) }
        }
    }
}

extension CommandFailure {
    fileprivate static func notCopied(_ path: String) -> CommandFailure {
        notCopied(path, why: SystemError.text(errno))
    }

    fileprivate static func notCopied(_ path: String, why: String) -> CommandFailure {
        CommandFailure(
            .deviceStorage, "The device takes no changes, and could not be copied to read it.", why: "\(path): \(why)")
    }
}
