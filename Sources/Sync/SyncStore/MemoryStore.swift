package import LatchkeySyncCore
package import LatchkeyThreading
internal import Synchronization

/// The objects of a circle in the memory of this process: for tests and for devices of one process.
package final class MemoryStore: SyncStore {
    /// The objects, which the stores of several devices share.
    package final class Content: Sendable {
        fileprivate struct State {
            var objects: [StoreObjectName: [UInt8]] = [:]
            /// Grows with each change that other devices want to know of.
            var changes: UInt64 = 0
            var byteLimit: Int?
            var byteCount: Int { objects.values.reduce(0) { $0 + $1.count } }
        }

        fileprivate let state: Mutex<State>
        private let condition = WaitCondition()

        /// - Parameter byteLimit: of all objects together.
        package init(byteLimit: Int? = nil) {
            state = Mutex(State(byteLimit: byteLimit))
        }

        /// A copy of everything.
        package var objects: [StoreObjectName: [UInt8]] {
            get { state.withLock { $0.objects } }
            set {
                state.withLock { state in
                    state.objects = newValue
                    state.changes += 1
                }
                wake()
            }
        }

        fileprivate func wake() { condition.withLock { condition.wakeAll() } }

        fileprivate func wait(for changes: UInt64, until end: Cancellation) {
            condition.wakeAll(when: end)
            condition.withLock {
                while state.withLock({ $0.changes }) == changes, !end.isOver { condition.wait(until: end) }
            }
        }
    }

    package let content: Content
    private let writer: DeviceIdentifier
    private let seen = Mutex<UInt64?>(nil)

    /// - Parameter writer: the device that this store belongs to.
    package init(_ content: Content, writer: DeviceIdentifier) {
        self.content = content
        self.writer = writer
    }

    package func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        let names = content.objects.keys.filter { $0.prefix == prefix }.sorted()
        let isComplete = names.count <= StoreLimits.listedNames
        return StoreListing(names: Array(names.prefix(StoreLimits.listedNames)), isComplete: isComplete)
    }

    package func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        let objects = content.objects
        var reading = StoreReading()
        var byteCount = 0
        for (position, name) in names.enumerated() {
            guard let bytes = objects[name], !bytes.isEmpty else { continue }
            guard StoredForm.isWhole(bytes, of: name) else {
                reading.damaged.insert(name)
                continue
            }
            if !reading.objects.isEmpty, byteCount + bytes.count > StoreLimits.messageByteCount {
                reading.rest = Array(names[position...])
                break
            }
            byteCount += bytes.count
            reading.objects[name] = bytes
        }
        return reading
    }

    package func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        defer { content.wake() }
        try content.state.withLock { state throws(StoreFailure) in
            for (name, bytes) in objects.sorted(by: { $0.key < $1.key }) {
                guard StoredForm.isWritable(bytes, as: name) else { throw .unsuitable(name) }
                if let others = state.objects[name], StoredForm.isWhole(others, of: name) {
                    guard others == bytes else { throw .taken(name) }
                    continue
                }
                try put(name, bytes, &state)
            }
        }
    }

    package func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        let name = StoreObjectName.head(writer)
        guard StoredForm.isWhole(head, of: name) else { throw .unsuitable(name) }
        let replacement = HeadReplacement(of: head, named: name, expecting: replaced)
        _ = try content.state.withLock { state throws(StoreFailure) in
            try replacement.isNeeded(over: state.objects[name])
        }
        try create(objects)
        defer { content.wake() }
        return try content.state.withLock { state throws(StoreFailure) in
            if try replacement.isNeeded(over: state.objects[name]) { try put(name, head, &state) }
            return replacement.mark
        }
    }

    private func put(
        _ name: StoreObjectName, _ bytes: [UInt8], _ state: inout Content.State
    ) throws(StoreFailure) {
        if let limit = state.byteLimit {
            let former = state.objects[name]?.count ?? 0
            guard state.byteCount - former + bytes.count <= limit else { throw .refused(.quota) }
        }
        state.objects[name] = bytes
        state.changes += 1
    }

    package func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        content.state.withLock { state in
            for name in names { state.objects[name] = nil }
        }
    }

    package func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        while true {
            let changes = content.state.withLock { $0.changes }
            let isNews = seen.withLock { seen in
                defer { seen = changes }
                return seen != changes
            }
            if isNews { return .changed }
            guard !end.isOver else { return .none }
            content.wait(for: changes, until: end)
        }
    }
}
