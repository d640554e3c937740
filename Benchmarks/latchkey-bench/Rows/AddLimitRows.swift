import Foundation

/// Durable adds against what the machine can do at best with the same rows: SQLite alone, with the indexes that the
/// device's table has.
enum AddLimitRows {
    private static let batch = 400
    private static let clients = 16

    /// One client, against a client whose server commits the row before it answers.
    static func oneClient(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let file = session.scratch + "/bare-items.db"
        try BareItemTable.copy(of: directory, to: file)
        return try session.withDevice(directory) { device in
            let sizes = PacketSizes.ofAdd()
            let socket = session.scratch + "/store.sock"
            let store = try EchoPair.store(
                at: socket, answer: sizes.reply, file: file, processor: session.options.pinning.servers)
            defer { store.terminate() }
            let client = try session.client(of: device)
            defer { client.stop() }
            try session.profile { _ = try client.seconds("add \(batch) 1") }
            let pairs = try session.pairs(
                value: { Double(batch) / (try client.seconds("add \(batch) 1")) },
                limit: { Double(batch) / (try client.seconds("echo \(Worker.word(socket)) \(batch) \(sizes.request)")) }
            )
            return Finding(
                name: "add-durable-limit", pairs: pairs, unit: "adds/s",
                against: "raw one-hop echoes with one commit of bare SQLite/s, same row, same indexes",
                demand: .figure, notes: ["packets of \(sizes.request) and \(sizes.reply) bytes"])
        }
    }

    /// Sixteen clients at once, against one process that commits as many rows at a time.
    static func manyClients(_ session: Session) throws -> Finding {
        let directory = try session.population.deviceToGrow(from: 100)
        let file = session.scratch + "/bare-batches.db"
        try BareItemTable.copy(of: directory, to: file)
        return try session.withDevice(directory) { device in
            let client = try session.client(of: device)
            defer { client.stop() }
            let bare = try Worker(role: ["items", file], processor: session.options.pinning.servers)
            defer { bare.stop() }
            let adds = 4 * batch
            let pairs = try session.pairs(
                value: { Double(adds) / (try client.seconds("add \(adds) \(clients)")) },
                limit: { Double(adds) / (try bare.seconds("commit \(adds) \(clients)")) })
            return Finding(
                name: "add-16-clients-limit", pairs: pairs, unit: "adds/s",
                against: "rows/s of bare SQLite, same row, same indexes, \(clients) rows in a commit",
                demand: .figure, notes: ["\(clients) connections, one thread each"])
        }
    }
}
