import CLatchkeyShims
import Foundation
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

/// A device directory with the real daemon and the real enclave, gone after the test.
///
/// Used by one thread; the clients it hands out may be used by any.
final class DeviceProcesses {
    /// Programs lie beside the test's own executable, where the build puts them.
    static let programs =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path } ?? ""
    static let caller = Caller(name: "crash-test", accessGroups: ["crash"])

    let directory: DeviceDirectory
    private var daemon: Process?
    private let ownsDirectory: Bool

    /// - Parameter path: an existing directory, for instance a small disk; nil makes a temporary one.
    init(at path: String? = nil) throws {
        ownsDirectory = path == nil
        directory = DeviceDirectory(path: try path ?? temporaryDirectory() + "/device")
    }

    var daemonIdentifier: pid_t? { daemon.map { $0.processIdentifier } }

    /// The enclave is found by what it serves: its own file of its number may not be written yet.
    var enclaveIdentifier: pid_t? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return numbers.first { number in
            guard let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
            let arguments = words.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return arguments.first?.hasSuffix("/latchkey-enclave") == true && arguments.contains(directory.enclave)
        }
    }

    /// Starts the daemon and returns when it answers.
    func start() throws {
        let process = try launch()
        daemon = process
        let client = client()
        let end = ContinuousClock.now + .seconds(30)
        while true {
            if (try? client.ask(DescribeDevice())) != nil { return }
            guard process.isRunning, ContinuousClock.now < end else {
                throw Failed("the daemon did not start:\n\(log)")
            }
            usleep(500)
        }
    }

    /// Starts the daemon and waits for it to end by itself.
    func outcomeOfStart() throws -> (status: Int32, message: String) {
        let process = try launch()
        process.waitUntilExit()
        return (process.terminationStatus, log)
    }

    private func launch() throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.programs + "/latchkeyd")
        process.arguments = ["--device", directory.path, "--accept-declared-callers", "--test-only-passcode-cost", "4"]
        _ = FileManager.default.createFile(atPath: logPath, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: logPath))
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private var logPath: String { "/tmp/latchkey-crash-\(getpid())-\(ObjectIdentifier(self).hashValue).log" }

    /// The log of the daemon since its last start.
    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    func killDaemon() {
        guard let daemon, daemon.isRunning else { return }
        kill(daemon.processIdentifier, SIGKILL)
        daemon.waitUntilExit()
    }

    func killEnclave() {
        endEnclave(SIGKILL)
    }

    /// Ends both as an owner would, and waits.
    func stop() {
        if let daemon, daemon.isRunning {
            daemon.terminate()
            daemon.waitUntilExit()
        }
        daemon = nil
        endEnclave(SIGTERM)
    }

    /// Returns when all its threads have ended and its files are closed.
    private func endEnclave(_ signal: Int32) {
        guard let number = enclaveIdentifier else { return }
        let process = lk_pidfd_open(number)
        guard process >= 0 else { return }
        defer { close(process) }
        _ = lk_pidfd_send_signal(process, signal)
        var waiting = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, -1) < 0 {}
    }

    func client(_ caller: Caller = DeviceProcesses.caller) -> RemoteKeychain {
        RemoteKeychain(socketPath: directory.keychainSocket, declaredCaller: caller)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: logPath)
        if ownsDirectory {
            try? FileManager.default.removeItem(
                atPath: URL(fileURLWithPath: directory.path).deletingLastPathComponent().path)
        }
    }
}

struct Failed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

func temporaryDirectory() throws -> String {
    var name = Array("/tmp/latchkey-crash-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Failed("mkdtemp: \(String(cString: strerror(errno)))") }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }
