import Glibc
package import LatchkeyKeybag

/// Whole files, by their paths.
extension FileVault {
    /// The number of times that a file may change under a call.
    private static let attempts = 8

    /// Opens a file for reading, protected or in clear, and calls `body` with it: again if the file was protected in place
    /// meanwhile.
    package func reading<Value>(_ path: String, _ body: (Opened) throws -> Value) throws -> Value {
        for _ in 0..<Self.attempts {
            let opened = try openAny(path, forWriting: false)
            let value = try body(opened)
            switch opened {
            case .protected: return value
            case .clear(let descriptor): if try !descriptor.isProtected { return value }
            }
        }
        throw AccessFailure.inUse
    }

    /// Writes a file beside the one that is there and puts it in its place: after a loss of power one of them is there,
    /// whole.
    ///
    /// - Parameters:
    ///   - protection: nil for the class that the place of the file gives it.
    ///   - permissions: of a file that is new, before the process's mask is applied; one that is replaced hands its own on.
    package func replace(
        _ path: String, with bytes: UnsafeRawBufferPointer, _ protection: FileProtection?, permissions: UInt32
    ) throws(AccessFailure) {
        let target = try FilePath.real(path)
        var former = stat()
        let isThere = unsafe stat(target, &former) == 0
        guard !isThere || former.st_mode & S_IFMT == S_IFREG else {
            throw .system(call: "open", errno: former.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        let folder = FilePath.folder(of: target)
        let name = ".latchkey-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let temporary = (folder == "/" ? "" : folder) + "/" + name
        do throws(AccessFailure) {
            let file = try emptiedClassed(
                temporary, isNew: true, permissions: isThere ? 0o600 : permissions, protection)
            try unsafe file.fill(with: bytes)
            if isThere { try file.takeOverRights(of: former, under: target) }
            try FilePath.move(temporary, inPlaceOf: target)
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Gives a file or directory a class. A file in clear becomes a protected one, in a file that takes its place.
    package func setProtection(_ protection: FileProtection, ofItemAt path: String) throws(AccessFailure) {
        if StoredProtection.isDirectory(path) {
            return try DirectoryProtection.set(protection, ofDirectoryAt: path)
        }
        for _ in 0..<Self.attempts {
            switch try openAny(path, forWriting: true) {
            case .protected(let file): return try file.setProtection(protection)
            case .clear(let descriptor):
                if VolumeProtection.of(descriptor) != nil {
                    return try VolumeProtection.set(protection, of: descriptor)
                }
                if try isProtected(descriptor, protection, path) { return }
            }
        }
        throw .inUse
    }

    /// Makes a protected file of a file in clear, which is open and locked until its place is taken: no other call of this
    /// library writes into the file that goes.
    ///
    /// - Returns: false if the file changed meanwhile.
    private func isProtected(
        _ descriptor: OwnedDescriptor, _ protection: FileProtection, _ path: String
    ) throws(AccessFailure) -> Bool {
        do throws(ConversionFailure) {
            let (place, status) = try converting { () throws(AccessFailure) in
                (try FilePlace(ofFileAt: path), try descriptor.status())
            }
            try protect(descriptor, status, nil, at: place, protection) { _ in true }
            return true
        } catch {
            switch error {
            case .access(let failure): throw failure
            case .noSpace: throw .system(call: "write", errno: ENOSPC)
            case .kept: throw .inUse
            case .obstacle(.otherOwner): throw .system(call: "fchown", errno: EPERM)
            case .openForWriting, .changed, .obstacle, .cancelled: return false
            }
        }
    }
}
