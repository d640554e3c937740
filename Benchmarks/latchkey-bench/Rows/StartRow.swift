/// From starting the daemon to its first answer, with a large keychain against a small one. The enclave starts with it.
enum StartRow {
    static func run(_ session: Session) throws -> Finding {
        let many = session.options.itemCount
        let (small, large) = (try session.population.device(of: 100), try session.population.device(of: many))
        let pairs = try session.pairs(
            value: { try start(large, session) * 1000 }, limit: { try start(small, session) * 1000 })
        return Finding(
            name: "start-flat", pairs: pairs, unit: "ms", against: "the same with 100 items", demand: .atMost(1.5))
    }

    private static func start(_ directory: String, _ session: Session) throws -> Double {
        var started: RunningDevice?
        let time = try nanoseconds {
            let device = try RunningDevice(directory, processor: session.options.pinning.servers)
            started = device
            try device.waitUntilReady()
        }
        try started?.stop()
        return Double(time) / 1e9
    }
}
