/// The time of a find in a large keychain against that in a small one. Both are served at the same time.
enum FindFlatRow {
    private static let few = 100

    static func run(_ session: Session) throws -> Finding {
        let many = session.options.itemCount
        let devices = (small: try session.population.device(of: few), large: try session.population.device(of: many))
        return Finding(
            name: "find-flat", pairs: try pairs(session, devices, "find", batch: 4000, of: many), unit: "µs/find",
            against: "the same among \(few) items", demand: .atMost(1.15),
            notes: session.population.notes[many].map { [$0] } ?? [])
    }

    /// The same for one identity by its label.
    static func identity(_ session: Session) throws -> Finding {
        let many = 10_000
        let devices = (
            small: try session.population.deviceWithIdentities(few),
            large: try session.population.deviceWithIdentities(many)
        )
        return Finding(
            name: "find-identity-1-of-10000",
            pairs: try pairs(session, devices, "find-identity", batch: 2000, of: many), unit: "µs/find",
            against: "the same among \(few) identities", demand: .atMost(1.3))
    }

    /// Microseconds of a find in the large one and in the small one.
    private static func pairs(
        _ session: Session, _ devices: (small: String, large: String), _ command: String, batch: Int, of many: Int
    ) throws -> [(value: Double, limit: Double)] {
        try session.withDevice(devices.small) { smallDevice in
            try session.withDevice(devices.large) { largeDevice in
                let smallClient = try session.client(of: smallDevice)
                defer { smallClient.stop() }
                let largeClient = try session.client(of: largeDevice)
                defer { largeClient.stop() }
                try session.profile { _ = try largeClient.seconds("\(command) \(batch) \(many)") }
                let microseconds = 1e6 / Double(batch)
                return try session.pairs(
                    value: { try largeClient.seconds("\(command) \(batch) \(many)") * microseconds },
                    limit: { try smallClient.seconds("\(command) \(batch) \(few)") * microseconds })
            }
        }
    }
}
