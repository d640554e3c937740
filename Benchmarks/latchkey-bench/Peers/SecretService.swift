import Foundation

/// gnome-keyring on a bus of its own, with its files on the disk of the devices, asked by `secret-tool`.
final class SecretService {
    let environment: [String: String]
    private let bus = Process()
    private let daemon = Process()

    init(in scratch: String, processor: String?) throws {
        let home = scratch + "/secret-service"
        let runtime = home + "/run"
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let address = "unix:path=\(runtime)/bus"
        environment = ["HOME": home, "XDG_RUNTIME_DIR": runtime, "DBUS_SESSION_BUS_ADDRESS": address]
        do {
            try start(bus, ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], processor)
            for _ in 0..<5000 where !FileManager.default.fileExists(atPath: runtime + "/bus") { usleep(1000) }
            let password = Pipe()
            daemon.standardInput = password
            try start(
                daemon, ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], processor)
            try password.fileHandleForWriting.write(contentsOf: Data("correct horse".utf8))
            try password.fileHandleForWriting.close()
        } catch {
            stop()
            throw error
        }
    }

    private func start(_ process: Process, _ words: [String], _ processor: String?) throws {
        Worker.configure(
            process, program: try Programs.path(of: words[0]), arguments: Array(words.dropFirst()), processor: processor
        )
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        for process in [daemon, bus] where process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
