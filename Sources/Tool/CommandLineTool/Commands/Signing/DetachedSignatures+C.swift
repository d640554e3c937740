import Foundation
import Glibc
import LatchkeyCodeSignature
package import LatchkeyDevice

/// Signatures beside programs: files named after the digest of the program they are for.
package enum DetachedSignatures {
    package static func path(in directory: String, digest: [UInt8]) -> String {
        directory + "/" + SignatureFile.name(forDigest: digest)
    }

    /// Where a device keeps them.
    package static func directory(of device: DeviceDirectory) -> String { device.signatures }

    /// The signature in a file; nil if there is no such file.
    static func read(_ path: String) throws(SignatureFailure) -> ProgramSignature? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .unreadable("\(path): \(SystemError.text(errno))") }
            return nil
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: ProgramSignature.byteLimit + 1)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .unreadable("\(path): \(SystemError.text(errno))") }
        return try ProgramSignature(decoding: Array(bytes.prefix(count)))
    }

    /// Writes a file whole or not at all.
    static func write(_ signature: ProgramSignature, to path: String) throws(CommandFailure) {
        var template = Array((path + ".XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { throw .notWritten(path) }
        defer { close(descriptor) }
        let bytes = signature.encoded()
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe Descriptor.write($0, to: descriptor) }
        guard isWritten, fchmod(descriptor, 0o644) == 0, fsync(descriptor) == 0,
            unsafe rename(template, path) == 0
        else {
            let number = errno
            unsafe unlink(template)
            throw .notWritten(path, number)
        }
    }

    /// False if there was none.
    static func remove(_ path: String) throws(CommandFailure) -> Bool {
        guard unsafe unlink(path) != 0 else { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw .notWritten(path) }
        return false
    }

    /// The directory of a device, made if it is missing.
    @discardableResult
    static func prepareDirectory(of device: DeviceDirectory) throws(CommandFailure) -> String {
        do {
            try device.prepare()
        } catch {
            throw CommandFailure(error)
        }
        let directory = directory(of: device)
        guard unsafe mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .notWritten(directory) }
        return directory
    }
}

extension CommandFailure {
    fileprivate static func notWritten(_ path: String, _ number: Int32 = errno) -> CommandFailure {
        CommandFailure(.failure, "\(path) cannot be written.", why: SystemError.text(number))
    }
}
