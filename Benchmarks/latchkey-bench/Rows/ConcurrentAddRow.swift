/// Durable adds of sixteen clients at once, against one client.
enum ConcurrentAddRow {
    private static let clients = 16
    /// Of each client.
    private static let batch = 100

    static func run(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        return try session.withDevice(directory) { device in
            let client = try session.client(of: device)
            defer { client.stop() }
            let (alone, many) = (4 * batch, batch * clients)
            try session.profile { _ = try client.seconds("add \(many) \(clients)") }
            let pairs = try session.pairs(
                value: { Double(many) / (try client.seconds("add \(many) \(clients)")) },
                limit: { Double(alone) / (try client.seconds("add \(alone) 1")) })
            return Finding(
                name: "add-16-clients", pairs: pairs, unit: "adds/s", against: "adds/s of one client",
                demand: .figure, notes: ["\(clients) connections, one thread each"])
        }
    }
}
