internal import LatchkeySyncCore
package import LatchkeySyncStore
package import LatchkeyThreading
internal import Synchronization

/// The store of a ``StoreAdversary`` as one device sees it.
package final class AdversarialStore: SyncStore {
    private let adversary: StoreAdversary
    private let device: DeviceIdentifier
    private let honest: MemoryStore

    init(_ adversary: StoreAdversary, device: DeviceIdentifier) {
        self.adversary = adversary
        self.device = device
        honest = MemoryStore(adversary.content, writer: device)
    }

    package func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        let mischief = try begin([.hidesNames, .inventsNames])
        var listing = try view().list(prefix)
        switch mischief {
        case .hidesNames: listing.names = listing.names.filter { _ in random(2) == 0 }
        case .inventsNames: listing.names = (listing.names + invented(prefix)).sorted()
        default: break
        }
        try end(mischief)
        return listing
    }

    package func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        let mischief = try begin([.hidesObjects, .flipsBit, .truncates, .swaps, .servesFormer])
        var reading = try view().read(names)
        // Not in the order of a hash table, which differs from run to run.
        let order = reading.objects.keys.sorted()
        if let mischief, let name = order.isEmpty ? nil : order[random(order.count)] {
            change(name, order, mischief, &reading)
        }
        try end(mischief)
        return reading
    }

    package func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        let mischief = try begin([.forgets, .liesAboutTaken])
        let names = objects.keys.sorted()
        switch mischief {
        case .forgets: return
        case .liesAboutTaken where !names.isEmpty: throw .taken(names[random(names.count)])
        default: break
        }
        adversary.remember(names)
        try honest.create(objects)
        try end(mischief)
    }

    package func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        let mischief = try begin([.forgets, .liesAboutTaken, .liesAboutHead])
        let names = objects.keys.sorted()
        switch mischief {
        case .forgets: return HeadMark(of: head)
        case .liesAboutHead: throw .headReplaced
        case .liesAboutTaken where !names.isEmpty: throw .taken(names[random(names.count)])
        default: break
        }
        adversary.remember(names + [.head(device)])
        let mark = try honest.publish(objects, head: head, replacing: replaced)
        try end(mischief)
        return mark
    }

    package func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        let mischief = try begin([.forgets])
        if mischief == .forgets { return }
        adversary.remember(names)
        try honest.remove(names)
        try end(mischief)
    }

    package func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        switch try begin([.wakes, .sleeps]) {
        case .wakes: return .changed
        case .sleeps:
            end.wait()
            return .none
        default: return try honest.waitForHint(until: end)
        }
    }

    // MARK: Mischief

    /// Counts the call, fails if it is to fail, and draws what happens to it.
    private func begin(_ applicable: Set<StoreMischief>) throws(StoreFailure) -> StoreMischief? {
        let always: Set<StoreMischief> = [.fails, .failsAfterwards]
        let drawn = adversary.state.withLock { state -> Result<StoreMischief?, StoreFailure> in
            state.calls += 1
            if let failure = state.failures[state.calls] { return .failure(failure) }
            let possible = StoreMischief.allCases.filter { kind in
                state.mischief.contains(kind) && (applicable.contains(kind) || always.contains(kind))
            }
            guard !possible.isEmpty, Int(state.generator.next() % 100) < state.percent else { return .success(nil) }
            return .success(possible[Int(state.generator.next() % UInt64(possible.count))])
        }
        let mischief = try drawn.get()
        if mischief == .fails { throw failure() }
        return mischief
    }

    private func end(_ mischief: StoreMischief?) throws(StoreFailure) {
        if mischief == .failsAfterwards { throw failure() }
    }

    private func failure() -> StoreFailure {
        let failures: [StoreFailure] =
            StoreFailure.Absence.allCases.map { .unreachable($0) } + StoreFailure.Refusal.allCases.map { .refused($0) }
        return failures[random(failures.count)]
    }

    private func change(
        _ name: StoreObjectName, _ order: [StoreObjectName], _ mischief: StoreMischief, _ reading: inout StoreReading
    ) {
        let former = adversary.state.withLock { $0.former[name] ?? [] }
        switch mischief {
        case .hidesObjects: reading.objects[name] = nil
        case .swaps:
            let other = order[random(order.count)]
            (reading.objects[name], reading.objects[other]) = (reading.objects[other], reading.objects[name])
        case .servesFormer where !former.isEmpty: reading.objects[name] = former[random(former.count)]
        case .flipsBit, .truncates:
            guard var bytes = reading.objects[name] else { return }
            adversary.state.withLock { state in
                if mischief == .flipsBit {
                    StoreDamage.flipBit(of: &bytes, &state.generator)
                } else {
                    StoreDamage.truncate(&bytes, &state.generator)
                }
            }
            reading.objects[name] = bytes
        default: break
        }
    }

    private func random(_ limit: Int) -> Int {
        adversary.state.withLock { Int($0.generator.next() % UInt64(limit)) }
    }

    /// A name under the prefix that no device has written.
    private func invented(_ prefix: ObjectPrefix) -> [StoreObjectName] {
        let words = (0..<4).map { _ in adversary.state.withLock { $0.generator.next() } }
        let hash = ObjectHash(words: (words[0], words[1], words[2], words[3]))
        switch prefix {
        case .statements: return [.statement(hash)]
        case .evidence: return [.evidence(hash)]
        case .heads: return DeviceIdentifier(hash.bytes.prefix(16)).map { [.head($0)] } ?? []
        case .exchanges: return ExchangeName(hash.bytes.prefix(16)).map { [.exchange($0)] } ?? []
        case .segments(let stream): return [.segment(Dot(stream, words[0] | 1))]
        case .snapshots(let device): return [.snapshotPart(device, number: words[0] | 1, part: 0)]
        }
    }

    // MARK: The view of the device

    /// The store as the device is shown it.
    private func view() -> MemoryStore {
        let (frozen, withheld) = adversary.state.withLock { ($0.frozen[device], $0.withheld[device] ?? []) }
        guard frozen != nil || !withheld.isEmpty else { return honest }
        let shown = MemoryStore.Content()
        shown.objects = (frozen ?? adversary.content.objects).filter { name, _ in
            name.writer.map { !withheld.contains($0) } ?? true
        }
        return MemoryStore(shown, writer: device)
    }
}
