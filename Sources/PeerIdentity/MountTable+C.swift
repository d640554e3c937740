import Glibc

/// The mounts of this process's own namespace.
enum MountTable {
    /// Whether an open file was reached through a mount that this process sees.
    ///
    /// Only then the path that the kernel reports for it is a path of this process: in another mount namespace, or on a
    /// mount that was taken off its place, a file can have any path at all. False where the kernel does not say.
    static func isMountedHere(_ descriptor: Int32) -> Bool {
        guard let description = contents("/proc/self/fdinfo/\(descriptor)"),
            let number = mountNumber(fileDescription: description),
            let mounts = contents("/proc/self/mountinfo")
        else { return false }
        return isListed(number, mounts: mounts)
    }

    /// The mount's number in a text of `/proc/PID/fdinfo`.
    static func mountNumber(fileDescription text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix("mnt_id:") {
            return UInt64(line.dropFirst("mnt_id:".count).filter { !$0.isWhitespace })
        }
        return nil
    }

    /// Whether a line of `/proc/PID/mountinfo` begins with the number.
    static func isListed(_ number: UInt64, mounts text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.split(separator: " ", maxSplits: 1).first.flatMap { UInt64($0) } == number
        }
    }

    private static let byteLimit = 4 << 20

    private static func contents(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < byteLimit {
            let count = unsafe part.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
        return nil
    }
}
