import CLatchkeyShims
import Glibc

/// One process, held by a descriptor: a process that gets the same number later is never taken for it.
package final class RunningProcess: Sendable {
    package let identifier: Int32
    private let descriptor: Int32

    /// Nil if no process has the number.
    package init?(identifier: Int32) {
        let descriptor = lk_pidfd_open(identifier)
        guard descriptor >= 0 else { return nil }
        self.identifier = identifier
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The file that the process runs, without the mark of a file that has been replaced since.
    package var executable: String? {
        guard let path = Self.link("/proc/\(identifier)/exe") else { return nil }
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// The name that the process goes by, at most 15 bytes of it. Seen also where ``executable`` is not: daemons that
    /// run as a plain user forbid other processes to look into them.
    package var shortName: String? {
        BoundedFile.text("/proc/\(identifier)/comm", limit: 32)?.split(separator: "\n").first.map(String.init)
    }

    @discardableResult
    package func send(signal: Int32) -> Bool {
        lk_pidfd_send_signal(descriptor, signal) == 0
    }

    /// Waits until the process has ended. False if it has not after `milliseconds`.
    package func waitForEnd(milliseconds: Int32) -> Bool {
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&source, 1, milliseconds) == 1
    }

    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
