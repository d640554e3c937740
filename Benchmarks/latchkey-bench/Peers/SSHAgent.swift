import Foundation

/// The real ssh-agent with one ECDSA key over P-256.
final class SSHAgent {
    let socket: String
    private let process = Process()

    init(in directory: String, processor: String?) throws {
        socket = directory + "/agent.sock"
        let key = directory + "/agent-key"
        try Programs.run(["ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", key])
        Worker.configure(
            process, program: try Programs.path(of: "ssh-agent"), arguments: ["-D", "-a", socket],
            processor: processor)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<5000 where !FileManager.default.fileExists(atPath: socket) { usleep(1000) }
        try Programs.run(["ssh-add", "-q", key], environment: ["SSH_AUTH_SOCK": socket])
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
