import LatchkeySyncCore
import LatchkeySyncStore
import Synchronization

/// The store of a laboratory and the way to it: everything that the devices wrote, and when each of them sees it.
///
/// The store has no object of its own but all versions of each, in the order of writing. A device sees the last one that has come to it,
/// so nothing goes back unless something is written once more.
final class LaboratoryCarrier: Sendable {
    /// The content of a name at some time.
    struct Version: Sendable {
        /// The place in the order of writing.
        let number: Int
        /// Nil for a removal.
        let bytes: [UInt8]?
        /// The name of the device; nil for what the store itself did.
        let writer: String?
        let writtenAt: Duration
        /// When each device sees it. Those to which it is not on its way are missing.
        var arrivals: [String: Duration] = [:]

        func isSeen(by reader: String, at time: Duration) -> Bool {
            writer == reader || arrivals[reader].map { $0 <= time } ?? false
        }
    }

    /// An object that is written a second time.
    struct Repetition: Sendable {
        let time: Duration
        let name: StoreObjectName
        let bytes: [UInt8]
        let writer: String
    }

    struct State: Sendable {
        var network = SyncLaboratory.Network()
        var numbers: SeededNumbers
        /// The devices, in the order in which they came.
        var readers: [String] = []
        /// The side of each device in a partition.
        var sides: [String: Int] = [:]
        var versions: [StoreObjectName: [Version]] = [:]
        var versionCount = 0
        var lastContent = Duration.zero
        var repetitions: [Repetition] = []
        /// The devices that something has come to since they looked.
        var news: Set<String> = []
        /// The writers whose objects each device is not shown.
        var withheld: [String: Set<String>] = [:]
        /// The names in the laboratory of the devices that wrote.
        var names: [DeviceIdentifier: String] = [:]
        var circle: CircleIdentifier?
    }

    let state: Mutex<State>
    let log: LaboratoryLog

    init(seed: UInt64, log: LaboratoryLog) {
        state = Mutex(State(numbers: SeededNumbers(seed: seed)))
        self.log = log
    }

    var network: SyncLaboratory.Network {
        get { state.withLock { $0.network } }
        set { state.withLock { $0.network = newValue } }
    }

    /// Takes a device that sees from now on what the others see.
    func add(_ reader: String) {
        state.withLock { state in
            state.readers.append(reader)
            state.sides[reader] = 0
            state.spread(at: log.now, delays: false)
        }
    }

    // MARK: Looking

    /// Returns the objects that a device sees now.
    /// - Parameter names: nil for all.
    func objects(seenBy reader: String, _ names: [StoreObjectName]? = nil) -> [StoreObjectName: [UInt8]] {
        state.withLock { state in
            var found: [StoreObjectName: [UInt8]] = [:]
            for name in names ?? Array(state.versions.keys) {
                found[name] = state.version(of: name, seenBy: reader, at: log.now)?.bytes
            }
            return found
        }
    }

    // MARK: Writing

    /// Takes what a device wrote; nil bytes remove an object.
    func write(_ objects: [(name: StoreObjectName, bytes: [UInt8]?)], by writer: String) {
        guard !objects.isEmpty else { return }
        state.withLock { state in
            for (name, bytes) in objects {
                state.write(bytes, as: name, by: writer, at: log.now)
                if case .head = name { continue }
                state.lastContent = log.now
            }
        }
        let written = objects.filter { $0.bytes != nil }.map(\.name.shortDescription)
        let removed = objects.count - written.count
        if !written.isEmpty { log.note("writes " + written.joined(separator: ", "), of: writer) }
        if removed > 0 { log.note("removes \(removed) objects", of: writer) }
    }

    /// Notes which device a writer is.
    func note(_ identifier: DeviceIdentifier, of name: String, in circle: CircleIdentifier) {
        state.withLock { state in
            state.circle = circle
            // The copy of a device has the identifier of the original.
            if state.names[identifier] == nil { state.names[identifier] = name }
        }
    }

    var circle: CircleIdentifier? { state.withLock { $0.circle } }

    // MARK: Time

    /// Returns the next time at which something comes to a device that was written until some time. Nil if nothing is on its way.
    func nextArrival(ofWhatWasWrittenUntil end: Duration) -> Duration? {
        state.withLock { state in
            let now = log.now
            let arrivals = state.versions.values.lazy.joined().filter { $0.writtenAt <= end }
                .flatMap(\.arrivals.values).filter { $0 > now }
            return (Array(arrivals) + state.repetitions.map(\.time)).min()
        }
    }

    /// The time at which a device last wrote something other than its head, which each writes once a day.
    var lastContent: Duration { state.withLock { $0.lastContent } }

    /// Lets what is due come: the time of the log has moved.
    func arrive(since before: Duration) {
        let repeated = state.withLock { state -> [Repetition] in
            let now = log.now
            let due = state.repetitions.filter { $0.time <= now }
            state.repetitions.removeAll { $0.time <= now }
            for one in due where state.versions[one.name]?.last?.bytes != one.bytes {
                state.write(one.bytes, as: one.name, by: one.writer, at: now, isRepeated: true)
            }
            for version in state.versions.values.joined() {
                for (reader, time) in version.arrivals where time > before && time <= now { state.news.insert(reader) }
            }
            return due
        }
        for one in repeated { log.note("\(one.name.shortDescription) comes once more", of: one.writer) }
    }

    /// True once after something has come to a device.
    func takeNews(of reader: String) -> Bool {
        state.withLock { $0.news.remove(reader) != nil }
    }

    func hasNews(for reader: String) -> Bool {
        state.withLock { $0.news.contains(reader) }
    }
}

extension LaboratoryCarrier.State {
    func version(
        of name: StoreObjectName, seenBy reader: String, at time: Duration
    ) -> LaboratoryCarrier.Version? {
        if let hidden = withheld[reader], let device = name.writer, let writer = names[device], hidden.contains(writer)
        {
            return nil
        }
        return versions[name]?.last { $0.isSeen(by: reader, at: time) }
    }

    mutating func write(
        _ bytes: [UInt8]?, as name: StoreObjectName, by writer: String, at time: Duration, isRepeated: Bool = false
    ) {
        var version = LaboratoryCarrier.Version(number: versionCount, bytes: bytes, writer: writer, writtenAt: time)
        for reader in readers where reader != writer && sides[reader] == sides[writer] {
            version.arrivals[reader] = time + delay()
            if version.arrivals[reader] == time { news.insert(reader) }
        }
        append(version, as: name)
        if isRepeated {
            // Its device finds out by looking.
            news.insert(writer)
        } else if let bytes, network.duplication > 0, numbers.chance(network.duplication) {
            let later = time + delay()
            // A repetition at the same time changes nothing.
            guard later > time else { return }
            repetitions.append(
                LaboratoryCarrier.Repetition(time: later, name: name, bytes: bytes, writer: writer))
        }
    }

    mutating func append(_ version: LaboratoryCarrier.Version, as name: StoreObjectName) {
        versions[name, default: []].append(version)
        versionCount += 1
    }

    mutating func delay() -> Duration {
        let (least, most) = (network.delay.lowerBound, network.delay.upperBound)
        return least == most ? least : least + (most - least) * numbers.fraction()
    }
}

extension StoreObjectName {
    /// The kind of object, without identifiers.
    var shortDescription: String {
        switch self {
        case .statement: "a statement"
        case .head: "its head"
        case .headCopy: "a second head"
        case .exchange: "an invitation or a request"
        case .evidence: "evidence"
        case .segment(let dot): "segment \(dot.number) of \(dot.stream.zone == .a ? "A" : "C")"
        case .snapshotPart(_, let number, let part): "part \(part) of snapshot \(number)"
        }
    }
}
