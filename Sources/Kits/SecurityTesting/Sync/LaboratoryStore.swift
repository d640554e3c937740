import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeyThreading
import Synchronization

/// The store of a laboratory: one place for all devices, or one for each side of a partition.
final class LaboratoryStore: Sendable {
    private struct State {
        /// The place of each device, by its name in the laboratory.
        var places: [String: MemoryStore.Content]
        /// The device in the circle of each device that wrote something.
        var writers: [DeviceIdentifier: String] = [:]
    }

    private let state: Mutex<State>

    init(_ names: [String]) {
        let content = MemoryStore.Content()
        state = Mutex(State(places: Dictionary(uniqueKeysWithValues: names.map { ($0, content) })))
    }

    func stores(of name: String) -> any CircleStores { View(store: self, name: name) }

    /// Every object that some device sees.
    var objects: [StoreObjectName: [UInt8]] {
        state.withLock { state in
            var all: [StoreObjectName: [UInt8]] = [:]
            for content in state.places.values { all.merge(content.objects) { first, _ in first } }
            return all
        }
    }

    /// Each side goes on with a copy of what is there.
    func divide(_ sides: [[String]]) {
        state.withLock { state in
            for side in sides {
                guard let first = side.first, let former = state.places[first] else { continue }
                let content = MemoryStore.Content()
                content.objects = former.objects
                for name in side { state.places[name] = content }
            }
        }
    }

    /// One place again, with what each side has written. Of a head the one that its own device sees is kept.
    func unite() {
        state.withLock { state in
            let content = MemoryStore.Content()
            var objects: [StoreObjectName: [UInt8]] = [:]
            for place in state.places.values {
                for (name, bytes) in place.objects where objects[name] == nil || isAtWriter(name, place, state) {
                    objects[name] = bytes
                }
            }
            content.objects = objects
            for name in state.places.keys { state.places[name] = content }
        }
    }

    private func isAtWriter(_ name: StoreObjectName, _ place: MemoryStore.Content, _ state: State) -> Bool {
        guard let device = name.writer.flatMap({ state.writers[$0] }) else { return false }
        return state.places[device] === place
    }

    fileprivate func store(of name: String, writer: DeviceIdentifier) -> any SyncStore {
        state.withLock { $0.writers[writer] = name }
        return Forwarding(store: self, name: name, writer: writer)
    }

    fileprivate func content(of name: String) -> MemoryStore.Content {
        state.withLock { $0.places[name] ?? MemoryStore.Content() }
    }

    private struct View: CircleStores {
        let store: LaboratoryStore
        let name: String

        func circles() throws(StoreFailure) -> [CircleIdentifier] { [] }

        func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
            store.store(of: name, writer: writer)
        }
    }
}

/// The store of one device, wherever its place is now.
private struct Forwarding: SyncStore {
    let store: LaboratoryStore
    let name: String
    let writer: DeviceIdentifier

    private var place: MemoryStore { MemoryStore(store.content(of: name), writer: writer) }

    func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing { try place.list(prefix) }

    func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading { try place.read(names) }

    func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) { try place.create(objects) }

    func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        try place.publish(objects, head: head, replacing: replaced)
    }

    func remove(_ names: [StoreObjectName]) throws(StoreFailure) { try place.remove(names) }

    func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint { .changed }
}
