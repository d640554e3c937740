import Device
import Foundation
import Glibc
import KeychainMessages

/// The running daemon and enclave of one device. Both are children of this process and end with ``end()``.
final class DeviceProcesses: Sendable {
    private let directory: DeviceDirectory
    private let enclave: Process
    private let daemon: Process

    /// Starts both, the enclave first, and waits until the daemon answers.
    init(device: String, executables: URL) throws(VirtualDeviceError) {
        directory = DeviceDirectory(path: device)
        do throws(DeviceFailure) {
            try directory.prepare()
        } catch {
            throw VirtualDeviceError(error.description)
        }
        let cost = ["--test-only-passcode-cost", "4"]
        enclave = try Self.start(
            executables, "latchkey-enclave",
            ["--storage", directory.enclave, "--socket", directory.enclaveSocket] + cost, in: directory)
        do throws(VirtualDeviceError) {
            // A daemon that meets no enclave starts one of its own.
            try Self.wait(for: enclave, "latchkey-enclave", in: directory) { [directory] in
                FileManager.default.fileExists(atPath: directory.enclaveProcessFile)
            }
            daemon = try Self.start(
                executables, "latchkeyd", ["--device", device, "--accept-declared-callers"] + cost, in: directory)
        } catch {
            Self.end(enclave)
            throw error
        }
        do throws(VirtualDeviceError) {
            let owner = RemoteKeychain(
                socketPath: directory.keychainSocket, declaredCaller: Caller(name: "device owner", accessGroups: []))
            try Self.wait(for: daemon, "latchkeyd", in: directory) {
                if case .status = owner.perform(DeviceRequest.status) { true } else { false }
            }
        } catch {
            end()
            throw error
        }
    }

    /// Kills both, as a power cut would, and waits until they are gone.
    func end() {
        Self.end(daemon)
        Self.end(enclave)
        // They tell that somebody is ready, and a killed process does not take its file back.
        unsafe unlink(directory.daemonProcessFile)
        unsafe unlink(directory.enclaveProcessFile)
    }

    /// The directory of the running program: the package manager puts executables and tests beside each other.
    static func executablesOfThisProgram() throws(VirtualDeviceError) -> URL {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        var directory = program
        for _ in 0..<4 {
            directory = directory.deletingLastPathComponent()
            let daemon = directory.appendingPathComponent("latchkeyd").path
            if FileManager.default.isExecutableFile(atPath: daemon) { return directory }
        }
        throw VirtualDeviceError(
            "latchkeyd is not beside \(program.path). Build the package's executables, or name their directory: "
                + "VirtualDevice(backend: .processes, executables: …).")
    }

    private static func start(
        _ executables: URL, _ name: String, _ arguments: [String], in directory: DeviceDirectory
    ) throws(VirtualDeviceError) -> Process {
        let process = Process()
        process.executableURL = executables.appendingPathComponent(name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do {
            let log = logPath(name, in: directory)
            _ = FileManager.default.createFile(atPath: log, contents: nil, attributes: [.posixPermissions: 0o600])
            process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            try process.run()
            return process
        } catch {
            throw VirtualDeviceError("\(name) cannot be started in \(executables.path): \(error.localizedDescription).")
        }
    }

    private static func logPath(_ name: String, in directory: DeviceDirectory) -> String {
        directory.run + "/\(name).test.log"
    }

    private static func end(_ process: Process) {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Nothing tells that a process is about to be ready; a start takes some milliseconds.
    private static func wait(
        for process: Process, _ name: String, in directory: DeviceDirectory, until isReady: () -> Bool
    ) throws(VirtualDeviceError) {
        for _ in 0..<15_000 {
            if isReady() { return }
            guard process.isRunning else { break }
            usleep(2000)
        }
        let log = (try? String(contentsOfFile: logPath(name, in: directory), encoding: .utf8)) ?? ""
        throw VirtualDeviceError("\(name) did not start. It said: \(log)")
    }
}
