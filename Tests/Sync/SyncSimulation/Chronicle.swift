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

    private(set) var changes: [ItemVersion: Change] = [:]
    /// The contents that were kept as conflict versions.
    private(set) var kept: Set<Kept> = []
    /// Items that a device removed without a tombstone: their contents may be lost.
    var absent: Set<ItemName> = []
    /// The versions that a local change of a device was made over.
    var overwritten: [(device: Int, version: ItemVersion)] = []
    /// The local items of joining devices, by the number of the device.
    var joining: [(device: Int, name: ItemName, digest: ObjectHash)] = []

    /// Notes that a device has a version: one that it has just written, or one that it received.
    mutating func note(_ item: KnownItem, _ name: ItemName, content: ItemContent?, parent: ItemVersion?, holder: Int) {
        if changes[item.version] == nil {
            changes[item.version] = Change(
                name: name, content: content, parent: parent, author: holder, overwrittenBefore: overwritten.count)
        } else if let content {
            changes[item.version]?.contents.insert(content)
        }
        changes[item.version]?.holders |= 1 << UInt64(holder)
        if item.dot != nil { changes[item.version]?.isPublished = true }
    }

    mutating func keep(_ name: ItemName, _ digest: ObjectHash) {
        kept.insert(Kept(name: name, digest: digest))
    }

    /// Notes that a device is the copy of another one as it was when so many versions had been overwritten.
    mutating func inherit(_ count: Int, from original: Int, by copy: Int) {
        overwritten += overwritten.prefix(count).filter { $0.device == original }.map { (copy, $0.version) }
    }

    /// Returns true if a device gave the version to this content.
    func isRight(_ content: ItemContent?, of version: ItemVersion) -> Bool {
        guard let content, let change = changes[version] else { return false }
        return content == change.content || change.contents.contains(content)
    }

    /// The versions that a published change knew, or a change of a device of `holders`. Its author also knew what it had overwritten by
    /// changes that lost, and that no other device has had.
    func superseded(by holders: UInt64) -> Set<ItemVersion> {
        var superseded = Set(overwritten.filter { holders & 1 << UInt64($0.device) != 0 }.map(\.version))
        for change in changes.values where change.isPublished {
            for entry in overwritten.prefix(change.overwrittenBefore)
            where entry.device == change.author && changes[entry.version]?.name == change.name {
                superseded.insert(entry.version)
            }
        }
        for change in changes.values where change.isPublished || change.holders & holders != 0 {
            var next = change.parent
            while let version = next, superseded.insert(version).inserted { next = changes[version]?.parent }
        }
        return superseded
    }

    /// Returns true if a device deleted the item with a greater version. The members may know of it by a snapshot only.
    func isDeleted(_ name: ItemName, after version: ItemVersion) -> Bool {
        changes.contains { $0.value.name == name && $0.value.content == nil && $0.key > version }
    }

    /// The contents that are accounted for if `winner` is current: its own, and those of the changes that it knew.
    func accounted(_ winner: ItemVersion) -> Set<ObjectHash> {
        var versions: Set<ItemVersion> = []
        var digests: Set<ObjectHash> = []
        var next: ItemVersion? = winner
        while let version = next, versions.insert(version).inserted {
            let change = changes[version]
            if let digest = change?.content?.digest { digests.insert(digest) }
            next = change?.parent
        }
        return digests
    }
}
