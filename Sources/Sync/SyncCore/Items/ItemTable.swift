/// The known items of a device by name. Packed, because a device may know 100,000 of them and has all in memory.
package struct ItemTable: Sendable {
    private var places: [ItemName: UInt32] = [:]
    private var names: [ItemName] = []
    private var rows: [PackedItem] = []
    /// The devices that rows name by number. Members are few, but a hostile one can name any number of others.
    private(set) var devices: [DeviceIdentifier] = []
    private var numbers: [DeviceIdentifier: UInt32] = [:]

    package init() {}

    package subscript(name: ItemName) -> KnownItem? {
        get { places[name].map { item(at: Int($0)) } }
        set {
            guard let newValue else { return remove(name) }
            // A row names three at most, so most of them are named no more. Before the row is packed: this changes the numbers.
            if devices.count > 64 + 4 * rows.count { forgetUnusedDevices() }
            let row = PackedItem(newValue) { number(of: $0) }
            if let place = places[name] {
                rows[Int(place)] = row
            } else {
                places[name] = UInt32(rows.count)
                names.append(name)
                rows.append(row)
            }
        }
    }

    package var keys: [ItemName] { names }
    package var values: some Collection<KnownItem> { lazy.map(\.value) }

    private func item(at place: Int) -> KnownItem { rows[place].item { devices[Int($0)] } }

    /// The last row takes the place of the removed one.
    private mutating func remove(_ name: ItemName) {
        guard let place = places.removeValue(forKey: name) else { return }
        let (lastName, lastRow) = (names.removeLast(), rows.removeLast())
        guard lastName != name else { return }
        names[Int(place)] = lastName
        rows[Int(place)] = lastRow
        places[lastName] = place
    }

    private mutating func number(of device: DeviceIdentifier) -> UInt32 {
        if let number = numbers[device] { return number }
        let number = UInt32(devices.count)
        devices.append(device)
        numbers[device] = number
        return number
    }

    private mutating func forgetUnusedDevices() {
        let all = Array(self)
        self = ItemTable()
        for (name, item) in all { self[name] = item }
    }
}

extension ItemTable: RandomAccessCollection {
    package typealias Element = (key: ItemName, value: KnownItem)

    package var startIndex: Int { 0 }
    package var endIndex: Int { rows.count }

    package subscript(place: Int) -> Element { (names[place], item(at: place)) }
}

extension ItemTable: Hashable {
    /// The order in which items came does not matter.
    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}

/// A ``KnownItem`` in 96 bytes instead of 168, with numbers for devices.
private struct PackedItem: Sendable {
    private var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var segment: UInt64 = 0
    private var version: PackedVersion
    private var base: PackedVersion?
    private var author: UInt32 = 0
    private var state: KnownItem.State
    private var zone: ZoneClass
    /// Nil without a dot.
    private var authorZone: ZoneClass?
    private var hasDigest = false

    init(_ item: KnownItem, _ number: (DeviceIdentifier) -> UInt32) {
        version = PackedVersion(item.version, number)
        base = item.base.map { PackedVersion($0, number) }
        state = item.state
        zone = item.zone
        if let dot = item.dot {
            segment = dot.number
            author = number(dot.stream.device)
            authorZone = dot.stream.zone
        }
        if let digest = item.digest {
            self.digest = digest.words
            hasDigest = true
        }
    }

    func item(_ device: (UInt32) -> DeviceIdentifier) -> KnownItem {
        KnownItem(
            version: version.version(device), base: base?.version(device),
            dot: authorZone.map { Dot(StreamIdentifier(device(author), $0), segment) }, state: state, zone: zone,
            digest: hasDigest ? ObjectHash(words: digest) : nil)
    }
}

private struct PackedVersion: Sendable {
    private let time: UInt64
    private let epoch: UInt32
    private let count: UInt32
    private let device: UInt32

    init(_ version: ItemVersion, _ number: (DeviceIdentifier) -> UInt32) {
        (time, epoch, count) = (version.time, version.epoch.rawValue, version.count)
        device = number(version.device)
    }

    func version(_ device: (UInt32) -> DeviceIdentifier) -> ItemVersion {
        ItemVersion(epoch: EpochNumber(epoch), time: time, count: count, device: device(self.device))
    }
}
