import Foundation
import Glibc
import LatchkeyTestSupport

/// A network of its own inside of this machine, for as long as the object lives. No right of root is needed: the first one begins a user
/// namespace, in which the user of the tests is root.
package final class NetworkSpace: @unchecked Sendable {
    // Sendable because the process does not change after the start.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let nsenter = "/usr/bin/nsenter"
    private static let ip = "/sbin/ip"
    private static let python = "/usr/bin/python3"

    /// True if networks can be made and connected here.
    package static let arePossible: Bool = {
        guard FileManager.default.isExecutableFile(atPath: python), let hub = try? NetworkSpace(),
            let space = try? NetworkSpace(beside: hub)
        else { return false }
        return (try? hub.addBridge()) != nil && (try? hub.connect(space, name: "m0", address: "10.0.0.1")) != nil
    }()

    package static let need = "needs user and network namespaces, bridges, and the packages iproute2 and python3"

    private let process = Process()
    private let input = Pipe()

    /// Makes a namespace in a new user namespace.
    package convenience init() throws {
        try self.init(["/usr/bin/unshare", "--user", "--map-root-user", "--net"])
    }

    /// Makes a further one in the user namespace of another.
    package convenience init(beside other: NetworkSpace) throws {
        try self.init(other.command(inNetwork: false) + ["/usr/bin/unshare", "--net"])
    }

    private init(_ command: [String]) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        // It ends with the last process that can write to its input: with that of the tests at the latest.
        process.arguments = command.dropFirst() + ["/bin/sh", "-c", "echo ready && exec cat"]
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        guard output.fileHandleForReading.availableData.count > 0 else {
            process.waitUntilExit()
            throw Failure(description: "\(command) ended with \(process.terminationStatus)")
        }
    }

    deinit {
        // A thread of the tests may have passed on that it blocks all others.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The words in front of a command that is to run inside.
    package var command: [String] { command(inNetwork: true) }

    private func command(inNetwork: Bool) -> [String] {
        let spaces = inNetwork ? ["-U", "-n"] : ["-U"]
        return [Self.nsenter, "-t", String(process.processIdentifier)] + spaces + ["--preserve-credentials"]
    }

    // MARK: Connections

    private func configure(_ words: String) throws {
        let outcome = try Program.run(command + [Self.ip] + words.split(separator: " ").map(String.init))
        guard outcome.status == 0 else { throw Failure(description: "ip \(words): \(outcome.complaints)") }
    }

    /// Adds the bridge to which others can be connected.
    package func addBridge() throws { try configure("link add hub type bridge") }

    /// Connects another namespace with the bridge of this one.
    package func connect(_ other: NetworkSpace, name: String, address: String) throws {
        try configure("link set hub up")
        try configure("link add \(name) type veth peer name eth0 netns \(other.process.processIdentifier)")
        try other.configure("link set lo up")
        try other.configure("addr add \(address)/24 dev eth0")
        try other.configure("link set eth0 up")
        try configure("link set \(name) up")
        try heal(name)
    }

    /// Takes the connection of this name off the bridge: bytes sent over it are lost, and neither side is told.
    package func cut(_ name: String) throws { try configure("link set \(name) nomaster") }

    package func heal(_ name: String) throws { try configure("link set \(name) master hub") }
}
