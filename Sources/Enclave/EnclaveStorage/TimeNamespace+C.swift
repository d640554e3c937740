import Glibc

/// The difference between the clocks of this process and the machine's. It is chosen by the user who starts a process
/// in a time namespace.
package enum TimeNamespace: Sendable, Equatable {
    /// The clocks are the machine's.
    case initial
    /// The boot clock is ahead by this, in the kernel's format ("SECONDS NANOSECONDS").
    case shifted(by: String)
    case unknown

    package static var ofThisProcess: TimeNamespace {
        guard let link = target(of: "/proc/self/ns/time") else {
            // A kernel without time namespaces has only one boot clock.
            return errno == ENOENT ? .initial : .unknown
        }
        return TimeNamespace(
            link: link, childrensLink: target(of: "/proc/self/ns/time_for_children"),
            offsets: contents(of: "/proc/self/timens_offsets"))
    }

    /// - Parameters:
    ///   - link: the target of `/proc/self/ns/time`.
    ///   - childrensLink: the target of `/proc/self/ns/time_for_children`, to which `offsets` belongs.
    ///   - offsets: the content of `/proc/self/timens_offsets`.
    package init(link: String, childrensLink: String?, offsets: String?) {
        // The number of the first time namespace is the same in every kernel (PROC_TIME_INIT_INO).
        guard link != "time:[4026531834]" else {
            self = .initial
            return
        }
        let lines = offsets?.split(separator: "\n").map { $0.split(separator: " ") } ?? []
        guard link == childrensLink, let line = lines.first(where: { $0.first == "boottime" }), line.count == 3 else {
            self = .unknown
            return
        }
        let offset = line.dropFirst().joined(separator: " ")
        self = offset == "0 0" ? .initial : .shifted(by: offset)
    }

    private static func target(of link: String) -> String? {
        var target = [UInt8](repeating: 0, count: 64)
        let count = unsafe target.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                unsafe text.baseAddress.map { unsafe readlink(link, $0, text.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: target.prefix(count), as: UTF8.self) : nil
    }

    private static func contents(of path: String) -> String? {
        guard let file = unsafe fopen(path, "re") else { return nil }
        defer { unsafe fclose(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = unsafe fread(&text, 1, text.count, file)
        return String(decoding: text.prefix(count), as: UTF8.self)
    }
}
