import Foundation

/// The real ssh-agent with one ECDSA key over P-256.
final class SSHAgent {
    let socket: String
    private let process = Process()

    init(in directory: String, processor: String?) throws {
        socket = directory + "/agent.sock"
        let key = directory + "/agent-key"
        try Self.run("ssh-keygen", ["-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", key])
        Worker.configure(
            process, program: try Self.path(of: "ssh-agent"), arguments: ["-D", "-a", socket], processor: processor)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        for _ in 0..<5000 where !FileManager.default.fileExists(atPath: socket) { usleep(1000) }
        try Self.run("ssh-add", ["-q", key], environment: ["SSH_AUTH_SOCK": socket])
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    private static func run(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try path(of: name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(name) ended with \(process.terminationStatus)") }
    }

    private static func path(of name: String) throws -> String {
        for directory in ["/usr/bin", "/usr/local/bin"]
        where FileManager.default.isExecutableFile(atPath: "\(directory)/\(name)") {
            return "\(directory)/\(name)"
        }
        throw Failure("\(name) is missing: apt-get install openssh-client")
    }
}
