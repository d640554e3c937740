import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting

/// The steps of a device in a folder, and the rules that hold after any part of them.
struct StoreTrial {
    static let device = SampleObjects.device(1)
    static let circle = SampleObjects.circle(2)
    static let head = StoreObjectName.head(device)

    /// A publication: objects, and the head that names them.
    struct Step: Sendable {
        let objects: [StoreObjectName: [UInt8]]
        let head: [UInt8]
        let removed: [StoreObjectName]
    }

    static let steps: [Step] = [
        Step(
            objects: [
                SampleObjects.segment(255, of: device): SampleObjects.object(.segment, seed: 1, bodyByteCount: 9_000),
                .statement(SampleObjects.hash(1)): SampleObjects.object(.statement, seed: 2),
            ], head: SampleObjects.object(.head, seed: 3), removed: []),
        Step(
            objects: [
                SampleObjects.segment(256, of: device): SampleObjects.object(.segment, seed: 4),
                .snapshotPart(device, number: 1, part: 0): SampleObjects.object(.snapshotPart, seed: 5),
            ], head: SampleObjects.object(.head, seed: 6), removed: [SampleObjects.segment(255, of: device)]),
    ]

    let store: FolderStore

    init(in folder: String) {
        store = FolderStore(in: folder, circle: Self.circle, writer: Self.device)
    }

    /// Does a step, whose head follows that of the step before.
    func run(_ number: Int) throws(StoreFailure) {
        let step = Self.steps[number]
        let former = try store.read([Self.head]).objects[Self.head]
        _ = try store.publish(step.objects, head: step.head, replacing: former.map { HeadMark(of: $0) })
        try store.remove(step.removed)
    }

    /// Throws unless the folder has the state after `done` steps, or one within the next step.
    func check(done: Int, mayHaveMore: Bool = true, _ context: String) throws {
        let names = Self.steps.flatMap { Array($0.objects.keys) } + [Self.head]
        let reading = try store.read(names)
        guard reading.damaged.isEmpty else { throw Finding("\(context): half objects at \(reading.damaged)") }
        for step in Self.steps {
            for (name, bytes) in step.objects {
                guard reading.objects[name] == nil || reading.objects[name] == bytes else {
                    throw Finding("\(context): \(name) has other bytes")
                }
            }
        }
        let shown = reading.objects[Self.head]
        let headNumber = shown.map { head in Self.steps.firstIndex { $0.head == head }.map { $0 + 1 } ?? -1 } ?? 0
        guard headNumber == done || (mayHaveMore && headNumber == done + 1) else {
            throw Finding("\(context): the head is number \(headNumber) after \(done) steps")
        }
        // A head is never there without what it names.
        for (number, step) in Self.steps.prefix(headNumber).enumerated() {
            let removed = Set(Self.steps[number...].prefix(headNumber - number).flatMap(\.removed))
            for name in step.objects.keys where !removed.contains(name) && reading.objects[name] == nil {
                throw Finding("\(context): head \(headNumber) is there and \(name) is not")
            }
        }
        for name in names {
            let listed = try store.list(name.prefix)
            guard listed.isComplete, listed.foreignCount == 0 else { throw Finding("\(context): \(listed)") }
            guard listed.names.contains(name) == (reading.objects[name] != nil) else {
                throw Finding("\(context): \(name) is listed or read, and not both")
            }
        }
    }
}

struct Finding: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
