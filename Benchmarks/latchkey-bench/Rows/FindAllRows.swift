/// The time of one find that answers with every item, against the same with a tenth of them: it grows as they do.
enum FindAllRows {
    static func tenThousand(_ session: Session) throws -> Finding {
        try run(session, "item-find-all-10k", of: 10_000)
    }

    static func hundredThousand(_ session: Session) throws -> Finding {
        try run(session, "item-find-all-100k", of: 100_000)
    }

    /// The ratio is that of finds with data, the note has that of finds without.
    private static func run(_ session: Session, _ name: String, of many: Int) throws -> Finding {
        let few = many / 10
        let devices = (small: try session.population.device(of: few), large: try session.population.device(of: many))
        return try session.withDevice(devices.small) { smallDevice in
            try session.withDevice(devices.large) { largeDevice in
                let smallClient = try session.client(of: smallDevice)
                defer { smallClient.stop() }
                let largeClient = try session.client(of: largeDevice)
                defer { largeClient.stop() }
                try session.profile { _ = try largeClient.seconds("find-all \(many) data") }
                func pairs(_ suffix: String) throws -> [(value: Double, limit: Double)] {
                    try session.pairs(
                        value: { try largeClient.seconds("find-all \(many)\(suffix)") * 1000 },
                        limit: { try smallClient.seconds("find-all \(few)\(suffix)") * 1000 })
                }
                let without = Finding(
                    name: name, pairs: try pairs(""), unit: "ms", against: "", demand: .atMost(11))
                return Finding(
                    name: name, pairs: try pairs(" data"), unit: "ms",
                    against: "the same with \(few) items; attributes and data of each", demand: .atMost(11),
                    notes: [
                        "attributes alone: \(Report.number(without.ratio)), \(Report.number(without.value)) ms"
                            + " to \(Report.number(without.againstValue)) ms"
                    ])
            }
        }
    }
}
