import Glibc

/// The pid namespaces of processes, by their depth below the one that `/proc` shows.
///
/// The owner of a pid namespace may name any process of it as the sender of a message, and every user can make one. A
/// message of such a peer may therefore come from a program other than the one that connected.
enum ProcessNamespace {
    /// Returns true if a process that this one can see has the same pid namespace. A process never leaves its own.
    ///
    /// - Parameter processDescriptor: -1 if the kernel has none; with one no right to inspect the process is needed.
    static func isOwn(ofProcess pid: Int32, processDescriptor: Int32) throws(IdentityFailure) -> Bool {
        let path =
            processDescriptor >= 0 ? "/proc/self/fdinfo/\(processDescriptor)" : "/proc/\(pid)/status"
        guard let text = ProcFile.contents(path) else {
            // A process whose record is hidden cannot be told from one in another namespace.
            if processDescriptor < 0, errno == ENOENT || errno == ESRCH { throw .processEnded(pid: pid) }
            return false
        }
        let numbers = numbers(inRecord: text)
        if numbers.first == -1 { throw .processEnded(pid: pid) }
        return numbers.count == own.count && !numbers.contains(0)
    }

    /// Returns the numbers of a process, from the namespace of `/proc` down to its own. Empty if the kernel has no pid
    /// namespaces; 0 or -1 for a process that has no number here, or ended.
    static func numbers(inRecord text: String) -> [Int32] {
        for line in text.split(separator: "\n") where line.hasPrefix("NSpid:") {
            return line.dropFirst("NSpid:".count).split(whereSeparator: \.isWhitespace).map { Int32($0) ?? 0 }
        }
        return []
    }

    private static let own = ProcFile.contents("/proc/self/status").map(numbers(inRecord:)) ?? []
}
