internal import Glibc
package import LatchkeyPlainText
internal import LatchkeySecretMemory

/// A reason for which a file of an address cannot be used.
package struct EtcdFileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(PlainText.escaped(path)) \(reason)" }
}

extension EtcdAccess {
    private static let authorityByteLimit = 4 << 20
    private static let certificateByteLimit = 256 << 10
    private static let keyByteLimit = 64 << 10
    private static let passwordByteLimit = 1_024

    /// Reads the files that an address names.
    package init(reading address: EtcdAddress) throws(EtcdFileFailure) {
        self.init()
        if let path = address.parts[.authority] {
            connection.authorities = try OpenedFile(path).bytes(limit: Self.authorityByteLimit)
        }
        if let certificate = address.parts[.certificate], let key = address.parts[.key] {
            connection.certificate = try OpenedFile(certificate).bytes(limit: Self.certificateByteLimit)
            connection.key = try OpenedFile(key).secret(limit: Self.keyByteLimit)
        }
        if let user = address.parts[.user], let path = address.parts[.passwordFile] {
            let line = try OpenedFile(path).secret(limit: Self.passwordByteLimit)
            login = Login(user: user, password: Self.withoutLineEnd(line))
            guard login?.password.count ?? 0 > 0 else { throw EtcdFileFailure(path: path, reason: "is empty") }
        }
    }

    private static func withoutLineEnd(_ line: SecretBox) -> SecretBox {
        unsafe line.withBytes { bytes in
            guard unsafe bytes.last == UInt8(ascii: "\n") else { return line }
            return unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
        }
    }
}

/// A file that is open for reading.
private struct OpenedFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let status: stat

    init(_ path: String) throws(EtcdFileFailure) {
        self.path = path
        // A pipe in the place of a file would be waited for.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw EtcdFileFailure(path: path, reason: "cannot be read: \(reason)")
        }
        self.descriptor = descriptor
        self.status = status
    }

    deinit { close(descriptor) }

    borrowing func bytes(limit: Int) throws(EtcdFileFailure) -> [UInt8] {
        let count = try byteCount(limit)
        var found = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe found = fill(UnsafeMutableRawBufferPointer(buffer))
            initialized = found
        }
        guard found == count else { throw EtcdFileFailure(path: path, reason: "changed while it was read") }
        return bytes
    }

    /// Refuses a file that other users can read.
    borrowing func secret(limit: Int) throws(EtcdFileFailure) -> SecretBox {
        guard status.st_mode & 0o007 == 0 else {
            throw EtcdFileFailure(path: path, reason: "can be read by every user: chmod o= it")
        }
        let count = try byteCount(limit)
        var found = 0
        let secret = unsafe SecretBox(count: count) { unsafe found = fill($0) }
        guard found == count else { throw EtcdFileFailure(path: path, reason: "changed while it was read") }
        return secret
    }

    private borrowing func byteCount(_ limit: Int) throws(EtcdFileFailure) -> Int {
        guard status.st_mode & S_IFMT == S_IFREG else { throw EtcdFileFailure(path: path, reason: "is not a file") }
        guard status.st_size <= limit else {
            throw EtcdFileFailure(path: path, reason: "has more than \(limit) bytes")
        }
        return Int(status.st_size)
    }

    private borrowing func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = unsafe read(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}
