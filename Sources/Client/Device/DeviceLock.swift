import Glibc
import LatchkeySecretMemory

/// The lock of a device directory: for one daemon alone, or for any number of processes that embed the device. Released
/// by the kernel when the process ends, however it ends.
///
/// The kernel gives the lock to the open file, which a child of `fork` shares: the lock stays until parent and child have both
/// closed it, or the parent gives it up. So a child that goes on takes a lock of its own, and closes this one.
package final class DeviceLock: Sendable {
    package enum Use: Sendable {
        case daemon
        case embedded
    }

    private let descriptor: Int32
    private let path: String
    /// The process that took the lock.
    private let process = ProcessMark.current

    package init(_ directory: DeviceDirectory, for use: Use) throws(DeviceFailure) {
        path = directory.lock
        descriptor = unsafe open(directory.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DeviceFailure(
                .storage,
                unsafe "\(directory.lock) cannot be opened: \(String(cString: strerror(errno))). "
                    + "Make the device directory writable for its owner.")
        }
        guard Self.take(descriptor, use) else {
            close(descriptor)
            throw DeviceFailure(
                .inUse,
                use == .daemon
                    ? "The device \(directory.path) is in use by another latchkeyd or by a program that embeds it. "
                        + "Stop that one first (latchkey stop), or name another device."
                    : "The device \(directory.path) is in use by a daemon. Reach it through its socket: "
                        + "LATCHKEY_DEVICE=unix:\(directory.keychainSocket)")
        }
    }

    deinit {
        guard process == .current else { return }
        // Children that have the file open must not keep the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Closes the file in a child, which has a lock of its own. The parent's lock stays. Does nothing if the program has closed
    /// the descriptor already, as daemons do, and another file has its number.
    func closeInChild() {
        var (own, other) = (stat(), stat())
        guard process != .current, unsafe fstat(descriptor, &own) == 0, unsafe stat(path, &other) == 0,
            own.st_dev == other.st_dev, own.st_ino == other.st_ino
        else { return }
        close(descriptor)
    }

    /// True if a process has the device of the directory open now.
    package static func isHeld(_ directory: DeviceDirectory) -> Bool {
        let descriptor = unsafe open(directory.lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// A daemon tries for a second: one that was killed while it started its enclave leaves a child that holds the
    /// lock until it has become the enclave.
    private static func take(_ descriptor: Int32, _ use: Use) -> Bool {
        for _ in 0..<50 {
            if flock(descriptor, (use == .daemon ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return true }
            guard use == .daemon else { return false }
            usleep(20_000)
        }
        return false
    }
}
