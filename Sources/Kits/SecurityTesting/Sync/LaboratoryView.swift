import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeyThreading
import Synchronization

/// The store of a laboratory as one device reaches it.
struct LaboratoryView: CircleStores {
    let carrier: LaboratoryCarrier
    /// The device's name in the laboratory.
    let name: String
    /// The folder that has what the device sees; nil if memory has it.
    let folder: LaboratoryFolder?

    func circles() throws(StoreFailure) -> [CircleIdentifier] { carrier.circle.map { [$0] } ?? [] }

    func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
        carrier.note(writer, of: name, in: circle)
        return CircleView(view: self, writer: writer, folder: folder?.of(circle, writer: writer))
    }
}

/// One circle in it.
private struct CircleView: SyncStore {
    let view: LaboratoryView
    let writer: DeviceIdentifier
    let folder: LaboratoryFolder.Circle?

    private var carrier: LaboratoryCarrier { view.carrier }

    // MARK: Reading

    func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        try reading { place throws(StoreFailure) in try place.list(prefix) }
    }

    func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        try reading { place throws(StoreFailure) in try place.read(names) }
    }

    private func reading<R>(_ body: (any SyncStore) throws(StoreFailure) -> R) throws(StoreFailure) -> R {
        guard carrier.fate(ofCallBy: view.name) == .answered else { throw .unreachable(.noAnswer) }
        return try body(try place())
    }

    /// A store with what the device sees now.
    private func place() throws(StoreFailure) -> any SyncStore {
        let objects = carrier.objects(seenBy: view.name)
        guard let folder else {
            let content = MemoryStore.Content()
            content.objects = objects
            return MemoryStore(content, writer: writer)
        }
        try folder.show(objects)
        return folder.store
    }

    // MARK: Writing

    func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        try writing(Array(objects.keys)) { place throws(StoreFailure) in try place.create(objects) }
    }

    func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        try writing(objects.keys + [.head(writer)]) { place throws(StoreFailure) in
            try place.publish(objects, head: head, replacing: replaced)
        }
    }

    func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        try writing(names) { place throws(StoreFailure) in try place.remove(names) }
    }

    /// Writes, and gives the carrier what has changed, also of a call that failed in the middle.
    private func writing<R>(
        _ names: [StoreObjectName], _ body: (any SyncStore) throws(StoreFailure) -> R
    ) throws(StoreFailure) -> R {
        let fate = carrier.fate(ofCallBy: view.name)
        guard fate != .notHeard else { throw .unreachable(.noAnswer) }
        let (place, before) = (try place(), carrier.objects(seenBy: view.name, names))
        let result = Result { () throws(StoreFailure) in try body(place) }
        let after =
            if let memory = place as? MemoryStore { memory.content.objects } else { try place.readAll(names).objects }
        carrier.write(
            Set(names).sorted().filter { before[$0] != after[$0] }.map { ($0, after[$0]) }, by: view.name)
        folder?.note(after, names)
        let answer = try result.get()
        guard fate == .answered else { throw .unreachable(.noAnswer) }
        return answer
    }

    func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint { .changed }
}

extension LaboratoryCarrier {
    enum CallFate: Sendable, Hashable {
        case answered
        case notHeard
        /// Done, without an answer.
        case unanswered
    }

    /// Draws what becomes of a call.
    fileprivate func fate(ofCallBy name: String) -> CallFate {
        let fate = state.withLock { state -> CallFate in
            guard state.network.loss > 0, state.numbers.chance(state.network.loss) else { return .answered }
            return state.numbers.chance(0.5) ? .notHeard : .unanswered
        }
        if fate != .answered { log.note("gets no answer", of: name) }
        return fate
    }
}
