import LatchkeySyncCore

/// The history of a simulation as no device knows it: which change was made over which.
struct Chronicle {
    struct Change {
        let name: ItemName
        /// Nil for a deletion.
        let content: ItemContent?
        /// Further contents: two copies of a device that have met one clock give one version to two changes.
        var contents: Set<ItemContent> = []
        /// The version that the writing device had.
        let parent: ItemVersion?
        /// The number of the device that made the change.
        let author: Int
        /// The number of versions that had been overwritten by then.
        let overwrittenBefore: Int
        /// The devices that have had the version, by number.
        var holders: UInt64 = 0
        var isPublished = false
    }

    struct Kept: Hashable {
        let name: ItemName
        let digest: ObjectHash
    }

    /// The calls of programs, by number.
    var calls: [Call] = []
    private var callsByVersion: [NamedVersion: Int] = [:]
    /// The devices that were copied or put back: what they wrote in between is not known to the copy.
    var copied: Set<Int> = []
    private(set) var changes: [NamedVersion: Change] = [:]
    /// The contents that were kept as conflict versions.
    private(set) var kept: Set<Kept> = []
    /// Items that a device removed without a tombstone: their contents may be lost.
    var absent: Set<ItemName> = []
    /// The versions that a local change of a device was made over.
    var overwritten: [(device: Int, version: NamedVersion)] = []
    /// The local items of joining devices, by the number of the device.
    var joining: [(device: Int, name: ItemName, digest: ObjectHash)] = []

    /// Notes that a device has a version: one that it has just written, or one that it received.
    mutating func note(_ item: KnownItem, _ name: ItemName, content: ItemContent?, parent: ItemVersion?, holder: Int) {
        // The two names of a primary key change have one version.
        let key = NamedVersion(name: name, version: item.version)
        if changes[key] == nil {
            changes[key] = Change(
                name: name, content: content, parent: parent, author: holder, overwrittenBefore: overwritten.count)
        } else if let content {
            changes[key]?.contents.insert(content)
        }
        changes[key]?.holders |= 1 << UInt64(holder)
        if item.dot != nil { changes[key]?.isPublished = true }
    }

    mutating func keep(_ name: ItemName, _ digest: ObjectHash) {
        kept.insert(Kept(name: name, digest: digest))
    }

    /// Notes that a device is the copy of another one as it was when so many versions had been overwritten.
    mutating func inherit(_ count: Int, from original: Int, by copy: Int) {
        overwritten += overwritten.prefix(count).filter { $0.device == original }.map { (copy, $0.version) }
    }

    /// Returns true if a device gave the version to this content.
    func isRight(_ content: ItemContent?, of name: ItemName, _ version: ItemVersion) -> Bool {
        guard let content, let change = changes[NamedVersion(name: name, version: version)] else { return false }
        return content == change.content || change.contents.contains(content)
    }

    /// The versions that a published change knew, or a change of a device of `holders`. Its author also knew what it had overwritten by
    /// changes that lost, and that no other device has had.
    func superseded(by holders: UInt64) -> Set<NamedVersion> {
        var superseded = Set(overwritten.filter { holders & 1 << UInt64($0.device) != 0 }.map(\.version))
        for change in changes.values where change.isPublished {
            for entry in overwritten.prefix(change.overwrittenBefore)
            where entry.device == change.author && entry.version.name == change.name {
                superseded.insert(entry.version)
            }
        }
        for change in changes.values where change.isPublished || change.holders & holders != 0 {
            var next = change.parent.map { NamedVersion(name: change.name, version: $0) }
            while let key = next, superseded.insert(key).inserted {
                next = changes[key]?.parent.map { NamedVersion(name: key.name, version: $0) }
            }
        }
        return superseded
    }

    /// Returns true if a device deleted the item with a greater version. The members may know of it by a snapshot only.
    func isDeleted(_ name: ItemName, after version: ItemVersion) -> Bool {
        changes.contains { $0.key.name == name && $0.value.content == nil && $0.key.version > version }
    }

    /// The contents that are accounted for if `winner` is current: its own, and those of the changes that it knew.
    func accounted(_ name: ItemName, _ winner: ItemVersion) -> Set<ObjectHash> {
        var versions: Set<ItemVersion> = []
        var digests: Set<ObjectHash> = []
        var next: ItemVersion? = winner
        while let version = next, versions.insert(version).inserted {
            let change = changes[NamedVersion(name: name, version: version)]
            if let digest = change?.content?.digest { digests.insert(digest) }
            next = change?.parent
        }
        return digests
    }
}

// MARK: Calls

extension Chronicle {
    /// A change by a program.
    struct Call {
        let name: ItemName
        let device: Int
        /// The device clock in the transaction of the call. Nil for what has no version, or waits for an epoch.
        let clock: DeviceClock?
        var version: ItemVersion?
        /// The calls that the device knew.
        var known: Set<Int>
        let isDeletion: Bool
        /// A deletion on this device alone.
        var isHere = false
        /// The dates of a restored item.
        var restored: ItemDates?
        /// The reason for which a restored item may not become current.
        var losesTo: String?
        /// The deletion for which a restored item may not become current, unless that left nothing.
        var losesToDeletion: Int?
        /// A deletion of an item that never left its device. It and what it ended do not count.
        var isVoid = false
    }

    struct NamedVersion: Hashable {
        let name: ItemName
        let version: ItemVersion
    }

    mutating func addCall(_ call: Call) -> Int {
        calls.append(call)
        return calls.count - 1
    }

    mutating func name(_ call: Int, _ version: ItemVersion) {
        calls[call].version = version
        callsByVersion[NamedVersion(name: calls[call].name, version: version)] = call
    }

    func call(of name: ItemName, _ version: ItemVersion) -> Int? {
        callsByVersion[NamedVersion(name: name, version: version)]
    }

    /// Notes that a record came before an item that a device has restored was published.
    mutating func noteRival(_ record: SyncRecord, on device: Int) {
        for (number, call) in calls.enumerated() where call.device == device && call.name == record.name {
            guard let dates = call.restored, !isPublished(call) else { continue }
            switch record.state {
            case .gone where record.version.time > dates.modified: calls[number].losesTo = "a deletion came before"
            case .live(let content) where content.dates.modified > dates.modified:
                calls[number].losesTo = "a newer item came before"
            case .gone, .live, .withheld: break
            }
        }
    }

    private func isPublished(_ call: Call) -> Bool {
        guard let version = call.version else { return false }
        return changes[NamedVersion(name: call.name, version: version)]?.isPublished ?? false
    }

    /// Returns what an item must not come back over: a deletion that the device knows of, after which nothing was written.
    func newestDeletion(of name: ItemName, knownTo device: SimulatedDevice, after time: UInt64) -> Int? {
        for (number, call) in calls.enumerated() where call.name == name && call.isDeletion && !call.isVoid {
            guard let version = call.version, version.time > time, !call.isHere else { continue }
            guard device.got.contains(number) || call.device == device.number else { continue }
            let isFollowed = calls.contains { $0.name == name && !$0.isDeletion && $0.known.contains(number) }
            if !isFollowed { return number }
        }
        return nil
    }

    /// The reason for which a restored item that is current should not be.
    func reason(against call: Call) -> String? {
        call.losesTo ?? call.losesToDeletion.flatMap { calls[$0].isVoid ? nil : "deletion \($0)" }
    }

    /// The calls that do not count: what a deletion here, or one of an item that never left its device, ended.
    var ended: Set<Int> {
        calls.enumerated().reduce(into: []) { ended, entry in
            if entry.element.isHere || entry.element.isVoid {
                ended.formUnion(entry.element.known.union([entry.offset]))
            }
        }
    }
}
