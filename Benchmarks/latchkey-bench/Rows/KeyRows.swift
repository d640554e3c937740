import Foundation

/// Keys, in the enclave and in the program.
enum KeyRows {
    private static let batch = 2000

    /// Signatures of an enclave key through the daemon, against the raw echo with one signature added.
    static func sign(_ session: Session) throws -> Finding {
        let sizes = PacketSizes.ofSignature()
        let directory = try session.population.deviceToGrow(from: 100)
        return try session.withDevice(directory) { device in
            let echo = try EchoPair(in: session.scratch, sizes: sizes, processor: session.options.pinning.servers)
            defer { echo.stop() }
            let client = try session.client(of: device)
            defer { client.stop() }
            _ = try client.seconds("make-key")
            try session.profile { _ = try client.seconds("sign \(batch)") }
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("sign \(batch)")) },
                limit: {
                    Double(batch)
                        / (try client.seconds("echo-sign \(Worker.word(echo.socket)) \(batch) \(sizes.request)"))
                })
            return Finding(
                name: "enclave-sign", pairs: pairs, unit: "signatures/s",
                against: "raw two-hop echoes with one P-256 signature/s", demand: .figure)
        }
    }

    /// The same against ssh-agent with a key of the same kind.
    static func signAgainstAgent(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let agent = try SSHAgent(in: session.scratch, processor: session.options.pinning.servers)
        defer { agent.stop() }
        return try session.withDevice(directory) { device in
            let client = try session.client(of: device)
            defer { client.stop() }
            _ = try client.seconds("make-key")
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("sign \(batch)")) },
                limit: { Double(batch) / (try client.seconds("agent-sign \(Worker.word(agent.socket)) \(batch)")) })
            return Finding(
                name: "enclave-sign-ssh-agent", pairs: pairs, unit: "signatures/s",
                against: "signatures/s of ssh-agent with an ECDSA P-256 key", demand: .atLeast(2.8))
        }
    }

    /// Verifications of P-256 signatures in the program, against swift-crypto.
    static func verify(_ session: Session) throws -> Finding {
        let client = try Worker(role: ["client"], processor: session.options.pinning.clients)
        defer { client.stop() }
        try session.profile { _ = try client.seconds("verify \(batch)") }
        let microseconds = 1e6 / Double(batch)
        let pairs = try session.pairs(
            value: { try client.seconds("verify \(batch)") * microseconds },
            limit: { try client.seconds("verify-bare \(batch)") * microseconds })
        return Finding(
            name: "verify-in-process", pairs: pairs, unit: "µs/signature", against: "swift-crypto",
            demand: .atMost(1.15))
    }
}
