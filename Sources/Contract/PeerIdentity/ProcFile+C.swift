import Glibc

/// The small files in `/proc`.
enum ProcFile {
    private static let byteLimit = 4 << 20

    /// Reads the whole text; nil, with `errno`, for a file that cannot be read or is too long.
    static func contents(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer {
            let error = errno
            close(descriptor)
            errno = error
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < byteLimit {
            let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
        errno = EFBIG
        return nil
    }
}
