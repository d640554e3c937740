import Glibc
import LatchkeyCodeSignature

/// Directories of detached signatures: files named by the program's digest in hexadecimal digits.
///
/// A directory or a file counts only if it belongs to root or to this process's user and no other user can write it: a
/// signature proves itself, but an attacker who can put files there can also take a program's access away.
struct DetachedSignatures: Sendable {
    let directories: [String]

    /// The state of the directories at some time; changes when a file comes or goes.
    struct State: Sendable, Hashable {
        /// Nil for a directory that is missing or does not count.
        let stamps: [FileIdentity?]

        var changeTimes: [Int64] { stamps.compactMap { $0?.changed } }
    }

    func state() -> State {
        State(
            stamps: directories.map { directory -> FileIdentity? in
                var status = stat()
                guard unsafe stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
                let identity = FileIdentity(status)
                return Self.isOurs(identity) ? identity : nil
            })
    }

    /// Returns true if there was no signature at all.
    func isEmpty(_ state: State) -> Bool {
        !zip(directories, state.stamps).contains { $1 != nil && Self.hasEntries($0) }
    }

    /// Returns the signatures for a digest, at most one of each directory.
    func signatures(for digest: [UInt8]) throws(SignatureFailure) -> [ProgramSignature] {
        let name = SignatureFile.name(forDigest: digest)
        var found: [ProgramSignature] = []
        for (directory, stamp) in zip(directories, state().stamps) where stamp != nil {
            guard let bytes = try Self.contents("\(directory)/\(name)") else { continue }
            found.append(try ProgramSignature(decoding: bytes))
        }
        return found
    }

    private static func isOurs(_ file: FileIdentity) -> Bool {
        (file.ownerID == 0 || file.ownerID == geteuid()) && file.mode & (S_IWGRP | S_IWOTH) == 0
    }

    private static func hasEntries(_ directory: String) -> Bool {
        guard let list = unsafe opendir(directory) else { return false }
        defer { unsafe closedir(list) }
        while let entry = unsafe readdir(list) {
            // Hidden files belong to editors and file systems, or are the two directories themselves.
            if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { return true }
        }
        return false
    }

    /// Returns nil if there is no such file.
    private static func contents(_ path: String) throws(SignatureFailure) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .unreadable(unsafe "its signature \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            isOurs(FileIdentity(status))
        else { throw .malformed("others can write \(path)") }
        guard status.st_size <= ProgramSignature.byteLimit else { throw .tooLarge(byteCount: Int(status.st_size)) }
        var bytes = [UInt8](repeating: 0, count: ProgramSignature.byteLimit + 1)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw .unreadable("its signature \(path)") }
        return Array(bytes.prefix(count))
    }
}
