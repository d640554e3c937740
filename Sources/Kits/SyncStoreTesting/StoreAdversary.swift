package import LatchkeySyncCore
package import LatchkeySyncStore
internal import Synchronization

/// The owner of a store who does to it what the threat model allows, and who remembers everything.
///
/// What a test names happens exactly; what it leaves open is drawn from the seed. The devices reach it through ``AdversarialStore``.
package final class StoreAdversary: Sendable {
    /// A state of the store that ``rollBack(to:_:)`` returns to.
    package struct Mark: Sendable {
        let objects: [StoreObjectName: [UInt8]]
    }

    struct State {
        var generator: any RandomNumberGenerator & Sendable
        var mischief: Set<StoreMischief> = []
        var percent = 0
        var calls = 0
        /// The calls that fail, by their numbers.
        var failures: [Int: StoreFailure] = [:]
        /// Per reader the writers whose objects it does not see.
        var withheld: [DeviceIdentifier: Set<DeviceIdentifier>] = [:]
        /// Per reader the state that it sees instead of the present one.
        var frozen: [DeviceIdentifier: [StoreObjectName: [UInt8]]] = [:]
        /// The former bytes of each name, oldest first.
        var former: [StoreObjectName: [[UInt8]]] = [:]
    }

    /// The present objects.
    package let content: MemoryStore.Content
    let state: Mutex<State>

    private static let formerLimit = 8

    /// - Parameter generator: with a seed that the test names.
    package init(_ content: MemoryStore.Content = .init(), generator: any RandomNumberGenerator & Sendable) {
        self.content = content
        state = Mutex(State(generator: generator))
    }

    package func store(for device: DeviceIdentifier) -> AdversarialStore {
        AdversarialStore(self, device: device)
    }

    // MARK: Random mischief

    /// Does one of these things in so many of a hundred calls to which they apply.
    package func misbehave(_ mischief: Set<StoreMischief>, percent: Int) {
        state.withLock { state in
            state.mischief = mischief
            state.percent = percent
        }
    }

    package func behave() { misbehave([], percent: 0) }

    /// Lets the call with this number fail, counted from 1 since ``countCalls()``.
    package func fail(call: Int, with failure: StoreFailure) {
        state.withLock { $0.failures[call] = failure }
    }

    /// Begins to count calls anew, without failures.
    package func countCalls() {
        state.withLock { state in
            state.calls = 0
            state.failures = [:]
        }
    }

    package var callCount: Int { state.withLock { $0.calls } }

    // MARK: Time

    package func mark() -> Mark { Mark(objects: content.objects) }

    /// Returns everything to an earlier state, or the objects of one prefix.
    package func rollBack(to mark: Mark, _ prefix: ObjectPrefix? = nil) {
        guard let prefix else {
            content.objects = mark.objects
            return
        }
        var objects = content.objects.filter { $0.key.prefix != prefix }
        objects.merge(mark.objects.filter { $0.key.prefix == prefix }) { $1 }
        content.objects = objects
    }

    /// Shows a device this state, whatever happens, until ``thaw(_:)``.
    package func freeze(_ reader: DeviceIdentifier, at mark: Mark) {
        state.withLock { $0.frozen[reader] = mark.objects }
    }

    package func thaw(_ reader: DeviceIdentifier) {
        state.withLock { $0.frozen[reader] = nil }
    }

    // MARK: Views

    /// Hides what one device writes from another. Objects that any member writes are not hidden.
    package func withhold(from reader: DeviceIdentifier, writtenBy writer: DeviceIdentifier) {
        state.withLock { _ = $0.withheld[reader, default: []].insert(writer) }
    }

    package func stopWithholding() {
        state.withLock { $0.withheld = [:] }
    }

    // MARK: Objects

    package func lose(where isLost: (StoreObjectName) -> Bool) {
        content.objects = content.objects.filter { !isLost($0.key) }
    }

    /// Puts any bytes under any name: an object of another circle, or nothing that is one.
    package func put(_ bytes: [UInt8], as name: StoreObjectName) {
        content.objects[name] = bytes
    }

    package func flipBit(of name: StoreObjectName) {
        change(name) { bytes, generator in StoreDamage.flipBit(of: &bytes, &generator) }
    }

    package func truncate(_ name: StoreObjectName) {
        change(name) { bytes, generator in StoreDamage.truncate(&bytes, &generator) }
    }

    package func swap(_ one: StoreObjectName, _ other: StoreObjectName) {
        var objects = content.objects
        (objects[one], objects[other]) = (objects[other], objects[one])
        content.objects = objects
    }

    private func change(
        _ name: StoreObjectName, _ body: (inout [UInt8], inout any RandomNumberGenerator & Sendable) -> Void
    ) {
        var objects = content.objects
        guard var bytes = objects[name] else { return }
        state.withLock { body(&bytes, &$0.generator) }
        objects[name] = bytes
        content.objects = objects
    }

    /// Remembers what is about to be replaced or removed.
    func remember(_ names: some Sequence<StoreObjectName>) {
        let objects = content.objects
        state.withLock { state in
            for name in names {
                guard let bytes = objects[name], state.former[name]?.last != bytes else { continue }
                state.former[name, default: []].append(bytes)
                if let count = state.former[name]?.count, count > Self.formerLimit {
                    state.former[name]?.removeFirst(count - Self.formerLimit)
                }
            }
        }
    }
}
