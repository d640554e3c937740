import Foundation
import LatchkeyDevice

/// `latchkey import ios-backup DIR --all`, onto a device that runs.
struct ImportCommand {
    let device: RunningDevice
    private let arguments: [String]
    private let passwordFile: String

    /// - Parameter backup: made by a ``BackupClient``, under its password.
    init(backup: String, _ device: RunningDevice, scratch: String) throws {
        self.device = device
        let program = URL(fileURLWithPath: try Worker.thisProgram()).deletingLastPathComponent().path + "/latchkey"
        passwordFile = scratch + "/password"
        try Data((BackupClient.passwordText + "\n").utf8).write(to: URL(fileURLWithPath: passwordFile))
        arguments = [program, backup, device.directory.path, passwordFile]
    }

    private static let line =
        #"exec "$1" import ios-backup "$2" --all --yes --quiet --device "$3" --password-fd 3 3<"$4" >/dev/null </dev/null"#

    /// Runs it, and returns the seconds that it took.
    func run() throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.line, "sh"] + arguments
        let time = try nanoseconds {
            try process.run()
            process.waitUntilExit()
        }
        guard process.terminationStatus == 0 else {
            throw Failure("latchkey import ended with \(process.terminationStatus)")
        }
        return Double(time) / 1e9
    }

    /// Runs it, and returns the largest memory that its process had.
    func peakMebibytes() throws -> Double {
        try PeakMemory.mebibytes(of: Self.line, arguments: arguments)
    }
}
