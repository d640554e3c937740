/// The cost of calling Security from C. Both rows need `make security`.
enum CRows {
    private static let batch = 4000
    private static let starts = 20

    /// Finds of a program in C against those of one in Swift. Each has a hundred items of its own on the same device.
    static func find(_ session: Session) throws -> Finding {
        let program = try CPrograms.client(in: session.scratch)
        return try session.withDevice(try session.population.deviceToGrow(from: 100)) { device in
            let inC = try client(program, of: device, session)
            defer { inC.stop() }
            let inSwift = try session.client(of: device)
            defer { inSwift.stop() }
            _ = try inC.seconds("fill 100")
            let pairs = try session.pairs(
                value: { Double(batch) / (try inC.seconds("find \(batch) 100")) },
                limit: { Double(batch) / (try inSwift.seconds("find \(batch) 100")) })
            return Finding(
                name: "c-find-1-of-100", pairs: pairs, unit: "finds/s", against: "finds/s of a program in Swift",
                demand: .atLeast(0.95))
        }
    }

    /// A program in C that finds one item, from its start to its end, against one that starts CoreFoundation only.
    static func start(_ session: Session) throws -> Finding {
        let program = try CPrograms.client(in: session.scratch)
        let foundation = try CPrograms.foundation(in: session.scratch)
        return try session.withDevice(try session.population.deviceToGrow(from: 100)) { device in
            let inC = try client(program, of: device, session)
            _ = try inC.seconds("fill 1")
            inC.stop()
            // Starts them on its own processor.
            let starter = try session.client(of: device)
            defer { starter.stop() }
            let pairs = try session.pairs(
                value: {
                    try starter.seconds("run \(starts) 0 /dev/null \(Worker.word(program)) once") / Double(starts)
                        * 1000
                },
                limit: {
                    try starter.seconds("run \(starts) 0 /dev/null \(Worker.word(foundation))") / Double(starts) * 1000
                })
            return Finding(
                name: "c-start", pairs: pairs, unit: "ms", against: "a program in C that only starts CoreFoundation",
                demand: .atMost(2))
        }
    }

    private static func client(_ program: String, of device: RunningDevice, _ session: Session) throws -> Worker {
        try Worker(
            role: [], processor: session.options.pinning.clients, environment: device.environment, program: program)
    }
}
