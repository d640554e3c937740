import Glibc

/// Small files that are read whole.
package enum BoundedFile {
    package static func isReadable(_ path: String) -> Bool {
        unsafe access(path, R_OK) == 0
    }

    /// The file's text, at most its first `limit` bytes; nil if it cannot be read.
    package static func text(_ path: String, limit: Int) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit, 16 << 10))
        // The kernel gives its tables in pieces that end with a line: only nothing is the end.
        while bytes.count < limit {
            let count = unsafe read(descriptor, &part, min(part.count, limit - bytes.count))
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
