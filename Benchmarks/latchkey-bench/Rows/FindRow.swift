/// Finds of one password among a hundred, against the raw two-hop echo.
enum FindRow {
    private static let batch = 4000

    static func run(_ session: Session) throws -> Finding {
        let directory = try session.population.device(of: 100)
        return try session.withDevice(directory) { device in
            let sizes = PacketSizes.ofFind()
            let echo = try EchoPair(in: session.scratch, sizes: sizes, processor: session.options.pinning.servers)
            defer { echo.stop() }
            let client = try session.client(of: device)
            defer { client.stop() }
            try session.profile { _ = try client.seconds("find \(batch) 100") }
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("find \(batch) 100")) },
                limit: {
                    Double(batch) / (try client.seconds("echo \(Worker.word(echo.socket)) \(batch) \(sizes.request)"))
                })
            return Finding(
                name: "find-1-of-100", pairs: pairs, unit: "finds/s",
                against: "round trips/s of a raw two-hop echo", demand: .figure,
                notes: [
                    "packets of \(sizes.request), \(sizes.enclaveRequest), \(sizes.enclaveReply), \(sizes.reply) bytes",
                    "processors: \(session.options.pinning.rawValue)",
                ])
        }
    }
}
