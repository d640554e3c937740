import LatchkeySyncCore

/// A store in memory in which each device sees each object from a time of its own.
struct SimulatedStore {
    static let never = UInt64.max

    struct Shown<Value> {
        var value: Value
        /// Per reader, by number, the time from which it sees the object.
        var since: [UInt64]

        func isShown(to reader: Int, at time: UInt64) -> Bool {
            reader < since.count && since[reader] <= time
        }
    }

    /// The written heads of each device, oldest first.
    var heads: [DeviceIdentifier: [Shown<Head>]] = [:]
    var objects: [ObjectName: Shown<SimulatedObject>] = [:]
    var statements: [Int: Shown<Int>] = [:]

    func head(of device: DeviceIdentifier, for reader: Int, at time: UInt64) -> Head? {
        heads[device]?.last { $0.isShown(to: reader, at: time) }?.value
    }

    func heads(for reader: Int, at time: UInt64) -> [Head] {
        heads.keys.sorted().compactMap { head(of: $0, for: reader, at: time) }
    }

    func object(_ name: ObjectName, for reader: Int, at time: UInt64) -> SimulatedObject? {
        guard let shown = objects[name], shown.isShown(to: reader, at: time) else { return nil }
        return shown.value
    }

    func names(of device: DeviceIdentifier, for reader: Int, at time: UInt64) -> Set<ObjectName> {
        Set(objects.filter { $0.key.writer == device && $0.value.isShown(to: reader, at: time) }.keys)
    }

    func statements(for reader: Int, at time: UInt64) -> [Int] {
        statements.filter { $0.value.isShown(to: reader, at: time) }.keys.sorted()
    }

    mutating func write(_ head: Head, since: [UInt64]) {
        heads[head.device, default: []].append(Shown(value: head, since: since))
        if let count = heads[head.device]?.count, count > 12 { heads[head.device]?.removeFirst(count - 12) }
    }

    /// - Returns: false if the object exists with other bytes.
    mutating func create(_ object: SimulatedObject, since: [UInt64]) -> Bool {
        if let shown = objects[object.name] { return shown.value.hash == object.hash }
        objects[object.name] = Shown(value: object, since: since)
        return true
    }

    /// Adds a reader, which sees everything that is there.
    mutating func addReader(at time: UInt64) {
        change { $0.append(time) }
    }

    /// Shows everything to all readers.
    mutating func showAll(at time: UInt64) {
        change { since in
            for reader in since.indices { since[reader] = min(since[reader], time) }
        }
    }

    /// Ends the withholding of objects, each of which appears within `delay`.
    mutating func heal(at time: UInt64, delay: (() -> UInt64)) {
        change { since in
            for reader in since.indices where since[reader] == Self.never { since[reader] = time + delay() }
        }
    }

    private mutating func change(_ body: (inout [UInt64]) -> Void) {
        for device in heads.keys.sorted() {
            for position in heads[device, default: []].indices { body(&heads[device, default: []][position].since) }
        }
        for name in objects.keys.sorted(by: { $0.order < $1.order }) {
            if var shown = objects[name] {
                body(&shown.since)
                objects[name] = shown
            }
        }
        for number in statements.keys.sorted() {
            if var shown = statements[number] {
                body(&shown.since)
                statements[number] = shown
            }
        }
    }
}

extension ObjectName {
    /// An order that does not depend on the seed of hash tables.
    var order: (UInt8, DeviceIdentifier, UInt8, UInt64, Int) {
        switch self {
        case .head(let device): (0, device, 0, 0, 0)
        case .segment(let dot): (1, dot.stream.device, dot.stream.zone.rawValue, dot.number, 0)
        case .snapshotPart(let device, let number, let part): (2, device, 0, number, part)
        }
    }
}
