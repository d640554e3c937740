import Foundation
import Glibc

/// A directory that belongs to one device or backup and goes with it, at the latest when the process ends that made it.
struct TemporaryDirectory: Sendable {
    let url: URL
    private let maker: pid_t

    init() throws(VirtualDeviceError) {
        // The paths of its sockets must stay below 108 bytes.
        let name = "latchkey-" + UUID().uuidString.prefix(18)
        url = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
        maker = getpid()
        try Self.make(url)
        ProcessEnd.add(directory: url.path)
    }

    /// Makes a copy of another one, without its sockets.
    init(copying original: URL) throws(VirtualDeviceError) {
        self = try TemporaryDirectory()
        try copy(from: original)
    }

    /// Makes it a copy of another one, in place of what is in it.
    func replaceContent(by other: TemporaryDirectory) throws(VirtualDeviceError) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: url.path)) ?? [] {
            try? files.removeItem(at: url.appendingPathComponent(name))
        }
        try copy(from: other.url)
    }

    private func copy(from original: URL) throws(VirtualDeviceError) {
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: original.path) where name != "run" {
                try FileManager.default.copyItem(
                    at: original.appendingPathComponent(name), to: url.appendingPathComponent(name))
            }
        } catch {
            throw VirtualDeviceError(
                .storageFailed, reason: "The files of the device cannot be copied: \(error.localizedDescription).",
                advice: "Set TMPDIR to a directory that is writable and has space.")
        }
    }

    /// Makes a directory below it.
    func make(_ name: String) throws(VirtualDeviceError) {
        try Self.make(url.appendingPathComponent(name, isDirectory: true))
    }

    private static func make(_ url: URL) throws(VirtualDeviceError) {
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw VirtualDeviceError(
                .storageFailed, reason: "The directory of the device cannot be made: \(error.localizedDescription).",
                advice: "Set TMPDIR to a directory that is writable.")
        }
    }

    var path: String { url.path }

    /// False in a forked child of the process that made the directory: there, everything in it is the parent's.
    var isOwn: Bool { getpid() == maker }

    func remove() {
        guard isOwn else { return }
        try? FileManager.default.removeItem(at: url)
        ProcessEnd.forget(directory: url.path)
    }
}
