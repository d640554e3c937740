import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The cost of items that are released by a person.
enum AuthenticationRows {
    private static let batch = 4000
    private static let passcode = "2468"

    /// Finds of items that need a person, with a context that is authenticated already, against finds of plain items.
    static func reused(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        return try session.withDevice(directory) { device in
            try setPasscode(of: device)
            let agent = AgentService(
                socketPath: device.directory.keychainSocket, port: KnowingPerson(passcode: passcode))
            try agent.start()
            defer { agent.stop() }
            let client = try session.client(of: device)
            defer { client.stop() }
            _ = try client.seconds("guard 100")
            _ = try client.seconds("authenticate")
            try session.profile { _ = try client.seconds("find-guarded \(batch) 100") }
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("find-guarded \(batch) 100")) },
                limit: { Double(batch) / (try client.seconds("find \(batch) 100")) })
            return Finding(
                name: "find-with-reused-authentication", pairs: pairs, unit: "finds/s",
                against: "finds/s of items without conditions", demand: .atLeast(0.9))
        }
    }

    /// From the reader's match to the item's bytes in the program, against a plain find.
    static func matchToData(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let reader = try FingerReader(in: session.scratch)
        defer { reader.stop() }
        return try session.withDevice(directory, options: ["--test-only-sensor", reader.path]) { device in
            try setPasscode(of: device)
            let agent = AgentService(socketPath: device.directory.keychainSocket, port: WaitingPerson())
            try agent.start()
            defer { agent.stop() }
            let client = try session.client(of: device)
            defer { client.stop() }
            _ = try client.seconds("guard 100")
            let touches = 200
            let touch = {
                var sum = 0.0
                for _ in 0..<touches {
                    let end = try client.seconds("touch 100")
                    sum += end - reader.lastMatchSeconds
                }
                return sum / Double(touches) * 1e6
            }
            try session.profile { _ = try touch() }
            let pairs = try session.pairs(
                value: touch,
                limit: { try client.seconds("find \(touches) 100") / Double(touches) * 1e6 })
            return Finding(
                name: "match-to-data", pairs: pairs, unit: "µs", against: "a find of an item without conditions",
                demand: .atMost(5))
        }
    }

    private static func setPasscode(of device: RunningDevice) throws {
        let keychain = RemoteKeychain(socketPath: device.directory.keychainSocket)
        try keychain.ask(SetPasscode(SecretBox(copying: Array(passcode.utf8))))
    }
}
