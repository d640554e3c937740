/// The memory of daemon and enclave after many finds in a large keychain.
enum MemoryRow {
    private static let finds = 100_000
    private static let limitMebibytes = 80.0

    static func run(_ session: Session) throws -> Finding {
        let many = session.options.itemCount
        let directory = try session.population.device(of: many)
        return try session.withDevice(directory) { device in
            let client = try session.client(of: device)
            defer { client.stop() }
            _ = try client.seconds("find \(finds) \(many)")
            let daemon = try device.residentMebibytes(of: device.daemonID)
            let enclave = try device.residentMebibytes(of: device.enclaveID)
            return Finding(
                name: "memory", pairs: [(daemon + enclave, limitMebibytes)], unit: "MiB",
                against: "\(Report.number(limitMebibytes)) MiB", demand: .atMost(1),
                notes: [
                    "resident: daemon \(Report.number(daemon)), enclave \(Report.number(enclave)) MiB; "
                        + "library pages that both use are counted twice"
                ])
        }
    }
}
