/// Durable adds of one client, against SQLite alone committing rows of the same size on the same file system.
enum AddRow {
    private static let batch = 400

    static func run(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let rowBytes = try RowSize.average(in: directory)
        return try session.withDevice(directory) { device in
            let client = try session.client(of: device)
            defer { client.stop() }
            let bare = try Worker(
                role: ["sqlite", session.scratch + "/bare.db", String(rowBytes)],
                processor: session.options.pinning.servers)
            defer { bare.stop() }
            try session.profile { _ = try client.seconds("add \(batch) 1") }
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("add \(batch) 1")) },
                limit: { Double(batch) / (try bare.seconds("commit \(batch)")) })
            return Finding(
                name: "add-durable", pairs: pairs, unit: "adds/s",
                against: "commits/s of bare SQLite, WAL, synchronous=FULL, rows of \(rowBytes) bytes",
                demand: .figure)
        }
    }
}
