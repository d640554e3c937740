import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyLocalTransport

/// The running daemon and enclave of one device. Both are children of this process and end with ``end()``.
final class DeviceProcesses: Sendable {
    private let directory: DeviceDirectory
    private let enclave: RunningProgram
    private let daemon: RunningProgram
    /// Shows the prompts of the daemon to the scripted person.
    private let agent: AgentService

    /// Starts both in prepared directories, the enclave first, and waits until the daemon answers.
    init(device: String, executables: URL, person: ScriptedPerson) throws(VirtualDeviceError) {
        directory = DeviceDirectory(path: device)
        let cost = ["--test-only-passcode-cost", "4"]
        enclave = try Self.start(
            executables, "latchkey-enclave",
            [
                "--storage", directory.enclave, "--socket", directory.enclaveSocket, "--test-only-sensor",
                Self.sensorSocket(of: device),
            ] + cost, in: directory)
        do throws(VirtualDeviceError) {
            // A daemon that meets no enclave starts one of its own.
            try Self.wait(for: enclave, "latchkey-enclave", in: directory) { [directory] in
                FileManager.default.fileExists(atPath: directory.enclaveProcessFile)
            }
            daemon = try Self.start(
                executables, "latchkeyd", ["--device", device, "--accept-declared-callers"] + cost, in: directory)
        } catch {
            enclave.end()
            throw error
        }
        agent = AgentService(
            socketPath: directory.keychainSocket, declaredCaller: Caller(name: "scripted person", accessGroups: []),
            port: person)
        do throws(VirtualDeviceError) {
            let owner = RemoteKeychain(
                socketPath: directory.keychainSocket, declaredCaller: Caller(name: "device owner", accessGroups: []))
            try Self.wait(for: daemon, "latchkeyd", in: directory) {
                (try? owner.ask(DescribeDevice())) != nil
            }
            try startAgent()
        } catch {
            end()
            throw error
        }
    }

    /// Makes the directories of a device.
    static func prepare(_ device: String) throws(VirtualDeviceError) {
        do throws(DeviceFailure) {
            try DeviceDirectory(path: device).prepare()
        } catch {
            throw VirtualDeviceError(error)
        }
    }

    /// Where the enclave finds the scripted person's finger.
    static func sensorSocket(of device: String) -> String {
        DeviceDirectory(path: device).run + "/sensor.sock"
    }

    private func startAgent() throws(VirtualDeviceError) {
        do throws(AgentFailure) {
            try agent.start()
        } catch {
            throw VirtualDeviceError(
                .unreachable, reason: "The daemon takes no agent for its prompts: \(error).",
                advice: "Build SecurityTesting, latchkeyd and latchkey-enclave from one version.")
        }
    }

    /// Kills both, as a power cut would, and waits until they are gone.
    func end() {
        guard daemon.isOwn else { return }
        agent.stop()
        daemon.kill()
        enclave.kill()
        daemon.end()
        enclave.end()
        // The files say that the processes are ready, and a killed process does not take its file back.
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
            .programNotStarted, reason: "latchkeyd is not beside \(program.path).",
            advice: "Build the package's executables, or name their directory: "
                + "VirtualDevice(backend: .processes, executables: …).")
    }

    private static func start(
        _ executables: URL, _ name: String, _ arguments: [String], in directory: DeviceDirectory
    ) throws(VirtualDeviceError) -> RunningProgram {
        let process = Process()
        process.executableURL = executables.appendingPathComponent(name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do {
            let log = logPath(name, in: directory)
            _ = FileManager.default.createFile(atPath: log, contents: nil, attributes: [.posixPermissions: 0o600])
            let complaints = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
            // Foundation keeps the object of a process, and with it what it was given.
            defer { try? complaints.close() }
            process.standardError = complaints
            return try RunningProgram(starting: process)
        } catch {
            throw VirtualDeviceError(
                .programNotStarted,
                reason: "\(name) cannot be started in \(executables.path): \(error.localizedDescription).",
                advice: "Name the directory of latchkeyd and latchkey-enclave: executables.")
        }
    }

    private static func logPath(_ name: String, in directory: DeviceDirectory) -> String {
        directory.run + "/\(name).test.log"
    }

    /// Nothing tells that a process is about to be ready; a start takes some milliseconds.
    private static func wait(
        for process: RunningProgram, _ name: String, in directory: DeviceDirectory, until isReady: () -> Bool
    ) throws(VirtualDeviceError) {
        for _ in 0..<15_000 {
            if isReady() { return }
            guard process.isRunning else { break }
            usleep(2000)
        }
        let log = (try? String(contentsOfFile: logPath(name, in: directory), encoding: .utf8)) ?? ""
        throw VirtualDeviceError(
            .programNotStarted, reason: "\(name) did not start. It said: \(log)",
            advice: "Build the package's executables, or remove what the message names.")
    }
}
