import Foundation
import LatchkeyDevice

/// The cost of recognising a program when it connects.
enum ConnectRows {
    private static let batch = 500

    /// A new connection of a signed program that the daemon knows already, against one that no server inspects.
    static func known(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        return try session.withDevice(directory) { device in
            let program = try SignedProgram(in: session.scratch, on: device)
            let visits = session.scratch + "/visits.sock"
            let echo = try EchoPair.visits(at: visits, processor: session.options.pinning.servers)
            defer { echo.terminate() }
            let client = try Worker(
                role: ["client"], processor: session.options.pinning.clients, environment: device.environment,
                program: program.path)
            defer { client.stop() }
            let socket = device.directory.keychainSocket
            try session.profile { _ = try client.seconds("connect \(Worker.word(socket)) \(batch)") }
            let pairs = try session.pairs(
                value: { try client.seconds("connect \(Worker.word(socket)) \(batch)") / Double(batch) * 1e6 },
                limit: { try client.seconds("visit \(Worker.word(visits)) \(batch)") / Double(batch) * 1e6 })
            return Finding(
                name: "connect-known", pairs: pairs, unit: "µs",
                against: "a connection, one byte there and back, on the same kind of socket, a thread for each",
                demand: .figure)
        }
    }

    /// The first connection of a signed program that the daemon has never seen, against reading it at 1 GB/s and 1 ms.
    static func unknown(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        return try session.withDevice(directory) { device in
            let program = try SignedProgram(in: session.scratch, on: device)
            let limit = Double(program.byteCount) / 1e9 * 1000 + 1
            let pairs = try session.pairs(
                value: { try firstConnection(try program.copy(), device, session) * 1000 }, limit: { limit })
            return Finding(
                name: "connect-unknown", pairs: pairs, unit: "ms",
                against: "reading the program's \(program.byteCount >> 20) MiB at 1 GB/s, and 1 ms", demand: .atMost(1))
        }
    }

    private static func firstConnection(
        _ program: String, _ device: RunningDevice, _ session: Session
    ) throws -> Double {
        let client = try Worker(
            role: ["client"], processor: session.options.pinning.clients, environment: device.environment,
            program: program)
        defer { client.stop() }
        return try client.seconds("connect \(Worker.word(device.directory.keychainSocket)) 1")
    }

    /// Finds of a signed program, against those of an unsigned one: what a call pays for the entitlements.
    static func find(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let batch = 4000
        return try session.withDevice(directory) { device in
            let program = try SignedProgram(in: session.scratch, on: device)
            let signed = try Worker(
                role: ["client"], processor: session.options.pinning.clients, environment: device.environment,
                program: program.path)
            defer { signed.stop() }
            let unsigned = try session.client(of: device)
            defer { unsigned.stop() }
            _ = try signed.seconds("fill 100")
            let pairs = try session.pairs(
                value: { Double(batch) / (try signed.seconds("find \(batch) 100")) },
                limit: { Double(batch) / (try unsigned.seconds("find \(batch) 100")) })
            return Finding(
                name: "find-signed", pairs: pairs, unit: "finds/s", against: "finds/s of an unsigned program",
                demand: .atLeast(0.97))
        }
    }
}
