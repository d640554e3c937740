/// The time of a find in a large keychain against that in a small one. Both are served at the same time.
enum FindFlatRow {
    private static let batch = 4000

    static func run(_ session: Session) throws -> Finding {
        let many = session.options.itemCount
        let (small, large) = (try session.population.device(of: 100), try session.population.device(of: many))
        return try session.withDevice(small) { smallDevice in
            try session.withDevice(large) { largeDevice in
                let smallClient = try session.client(of: smallDevice)
                defer { smallClient.stop() }
                let largeClient = try session.client(of: largeDevice)
                defer { largeClient.stop() }
                try session.profile { _ = try largeClient.seconds("find \(batch) \(many)") }
                let microseconds = 1e6 / Double(batch)
                let pairs = try session.pairs(
                    value: { try largeClient.seconds("find \(batch) \(many)") * microseconds },
                    limit: { try smallClient.seconds("find \(batch) 100") * microseconds })
                return Finding(
                    name: "find-flat", pairs: pairs, unit: "µs/find",
                    against: "the same among 100 items", demand: .atMost(1.3),
                    notes: session.population.notes[many].map { [$0] } ?? [])
            }
        }
    }
}
