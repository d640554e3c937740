import Glibc
import LatchkeyCryptoSuite

/// The templates that fprintd keeps for one user: DIRECTORY/DRIVER/READER/FINGER.
struct TemplateDirectory: Sendable {
    let path: String

    private static let depthLimit = 6
    private static let fileLimit = 256
    private static let fileByteCountLimit = 4 << 20

    private enum Failure: Error {
        /// A change was noticed between two reads.
        case changed
        case unreadable
    }

    /// Computes SHA-256 over the names and contents of all files; nil if they cannot be read, or there are none.
    func digest() -> [UInt8]? {
        // fprintd may be writing, so that a listed name no longer exists a moment later.
        for _ in 0..<3 {
            do throws(Failure) {
                var files: [(name: String, digest: [UInt8])] = []
                let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                guard directory >= 0 else { return nil }
                try Self.collect(directory, name: "", depth: 0, into: &files)
                guard !files.isEmpty else { return nil }
                return Self.digest(of: files)
            } catch {
                if error == .unreadable { return nil }
            }
        }
        return nil
    }

    private static func digest(of files: [(name: String, digest: [UInt8])]) -> [UInt8] {
        var digest = RunningDigest(.sha256)
        for file in files.sorted(by: { $0.name < $1.name }) {
            digest.update(Array((file.name + "\0").utf8))
            digest.update(file.digest)
        }
        return digest.finish()
    }

    /// Collects the files, and closes `directory`.
    private static func collect(
        _ directory: Int32, name: String, depth: Int, into files: inout [(name: String, digest: [UInt8])]
    ) throws(Failure) {
        guard let listing = unsafe fdopendir(directory) else {
            close(directory)
            throw .unreadable
        }
        defer { unsafe closedir(listing) }
        guard depth < depthLimit else { throw .unreadable }
        while let entry = unsafe readdir(listing) {
            let part = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if part == "." || part == ".." { continue }
            let opened = unsafe openat(directory, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard opened >= 0 else { throw errno == ENOENT ? .changed : .unreadable }
            let path = name.isEmpty ? part : name + "/" + part
            var status = stat()
            guard unsafe fstat(opened, &status) == 0 else {
                close(opened)
                throw .unreadable
            }
            if status.st_mode & S_IFMT == S_IFDIR {
                try collect(opened, name: path, depth: depth + 1, into: &files)
                continue
            }
            defer { close(opened) }
            guard status.st_mode & S_IFMT == S_IFREG, files.count < fileLimit else { throw .unreadable }
            files.append((path, try digest(ofFile: opened)))
        }
    }

    private static func digest(ofFile descriptor: Int32) throws(Failure) -> [UInt8] {
        var digest = RunningDigest(.sha256)
        var buffer = [UInt8](repeating: 0, count: 16384)
        var total = 0
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable }
            if count == 0 { break }
            total += count
            guard total <= fileByteCountLimit else { throw .unreadable }
            digest.update(Array(buffer[..<count]))
        }
        return digest.finish()
    }
}
