import Foundation
import Glibc

/// A folder that a process serves, and the directory in a memory file system that stores its content.
///
/// A second process waits for the end of this one and then takes the mount away. Nothing stays mounted, also if this
/// one is killed.
final class MountedFolder {
    /// The folder that programs use.
    let folder: String
    private let store: String
    private let directory: String
    /// Processes that do not serve in the background.
    private var server: Process?
    private var unmounting: (program: String, arguments: [String]) = ("", [])
    private let sweeper = Process()
    private let lifeline = Pipe()

    /// The disk would decide the rows otherwise.
    static let memoryFileSystem = "/dev/shm"
    private static let fusermount = "/usr/bin/fusermount3"

    private init(_ name: String, _ mount: (MountedFolder) throws -> Void) throws {
        directory = "\(Self.memoryFileSystem)/latchkey-bench-\(name)-\(getpid())"
        (store, folder) = (directory + "/store", directory + "/folder")
        for path in [directory, store, folder] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }
        try startSweeper()
        do {
            try mount(self)
            try waitUntilMounted()
        } catch {
            sweep()
            throw error
        }
    }

    /// A volume of the device, served by `latchkey-volume`.
    static func volume(of device: RunningDevice, processor: String?) throws -> MountedFolder {
        try MountedFolder("volume") { mounted in
            let tool = URL(fileURLWithPath: try Worker.thisProgram()).deletingLastPathComponent().path + "/latchkey"
            try run(tool, ["volume", "create", mounted.store], device.environment, processor)
            try run(tool, ["volume", "mount", mounted.store, mounted.folder], device.environment, processor)
            mounted.unmounting = (tool, ["volume", "unmount", mounted.folder])
        }
    }

    /// The encrypted folder of gocryptfs, with the cheapest passphrase that it allows.
    static func gocryptfs(processor: String?) throws -> MountedFolder {
        let program = try Programs.path(of: "gocryptfs")
        return try MountedFolder("gocryptfs") { mounted in
            let passphrase = mounted.directory + "/passphrase"
            try Data("correct horse\n".utf8).write(to: URL(fileURLWithPath: passphrase))
            try run(program, ["-init", "-q", "-scryptn", "10", "-passfile", passphrase, mounted.store], [:], nil)
            try mounted.serve(
                program, ["-fg", "-q", "-nosyslog", "-passfile", passphrase, mounted.store, mounted.folder], processor)
        }
    }

    /// A folder whose server in C passes everything to the directory below.
    static func passthrough(processor: String?) throws -> MountedFolder {
        try MountedFolder("passthrough") { mounted in
            try mounted.serve(
                try Worker.thisProgram(), ["passthrough", mounted.store, mounted.folder], processor)
        }
    }

    /// Unmounts the folder when `body` ends, and removes what was stored.
    func whileMounted<R>(_ body: () throws -> R) throws -> R {
        do {
            let result = try body()
            try Self.run(unmounting.program, unmounting.arguments, [:], nil)
            server?.waitUntilExit()
            sweep()
            return result
        } catch {
            sweep()
            throw error
        }
    }

    private func serve(_ program: String, _ arguments: [String], _ processor: String?) throws {
        let process = Process()
        Worker.configure(process, program: program, arguments: arguments, processor: processor)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        server = process
        unmounting = (Self.fusermount, ["-u", folder])
    }

    private func waitUntilMounted() throws {
        for _ in 0..<20_000 {
            if let inside = Self.device(of: folder), inside != Self.device(of: directory) { return }
            if let server, !server.isRunning {
                throw Failure("the server of \(folder) ended with status \(server.terminationStatus)")
            }
            usleep(500)
        }
        throw Failure("\(folder) was not mounted")
    }

    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
    }

    /// Its input ends with this process, or with ``sweep()``.
    private func startSweeper() throws {
        let script = """
            trap '' HUP INT TERM
            cat
            \(Self.fusermount) -u -z -- "$1/folder" 2>/dev/null
            rm -rf --one-file-system -- "$1"
            """
        sweeper.executableURL = URL(fileURLWithPath: "/bin/sh")
        sweeper.arguments = ["-c", script, "sh", directory]
        sweeper.standardInput = lifeline
        try sweeper.run()
    }

    private func sweep() {
        try? lifeline.fileHandleForWriting.close()
        sweeper.waitUntilExit()
    }

    private static func run(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ processor: String?
    ) throws {
        let process = Process()
        Worker.configure(process, program: program, arguments: arguments, processor: processor)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("\(program) \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
    }
}
