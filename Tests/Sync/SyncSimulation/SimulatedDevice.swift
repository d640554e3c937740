import LatchkeySyncCore

/// A device of the simulation: a database, a replica that is created again after each crash, and the world's view of both.
final class SimulatedDevice {
    /// Also the number of the device as a reader of the store.
    let number: Int
    let identifier: DeviceIdentifier
    var database: SimulatedDatabase
    var replica: SyncReplica?
    var lockState = SyncLockState.unlocked
    /// The error of the wall clock, in microseconds.
    var clockError: Int64 = 0
    /// Increases with each start: answers to an earlier run are lost.
    var session = 0
    /// The number of effects until the device crashes.
    var crashesAfter: Int?
    var losesSession = false
    var isOnline = true
    var group = 0
    var wakesAt: UInt64?
    var lastSeal: UInt64 = 0
    /// The device was repaired or is out of use: it does not run any more.
    var isRetired = false
    /// The stored head was newer than the one that the device was restored to.
    var mustFindOut = false

    // Observations
    /// The greatest published version of each item that the device has had.
    var greatest: [ItemName: ItemVersion] = [:]
    var headNumbers: [DeviceIdentifier: UInt64] = [:]
    var alarms: Set<SyncAlarm> = []
    var everRaised: Set<SyncAlarm> = []
    var violation: (name: String, detail: String)?

    init(number: Int, identifier: DeviceIdentifier, database: SimulatedDatabase) {
        self.number = number
        self.identifier = identifier
        self.database = database
    }

    func violate(_ name: String, _ detail: String) {
        if violation == nil { violation = (name, detail) }
    }
}

/// The item table and sealing of one device. A sealed object has a different hash each time, as with a random nonce.
struct SimulatedEnvironment: ReplicaEnvironment {
    let device: SimulatedDevice

    func content(of name: ItemName) -> ItemContent? {
        let content = device.database.rows[name]
        if let content, !device.lockState.opens(content.zone) {
            device.violate("locked-stays-locked", "a row of zone \(content.zone) was opened while \(device.lockState)")
        }
        return content
    }

    func seal(_ segment: Segment) -> ObjectHash {
        for record in segment.records where !device.lockState.opens(record.zone) {
            device.violate(
                "locked-stays-locked", "a segment of zone \(record.zone) was sealed while \(device.lockState)")
        }
        return nextHash(2)
    }

    func seal(_ snapshot: Snapshot) -> ObjectHash {
        if device.lockState != .unlocked { device.violate("locked-stays-locked", "a snapshot was sealed") }
        return nextHash(3)
    }

    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash { nextHash(4) }

    private func nextHash(_ kind: UInt64) -> ObjectHash {
        device.lastSeal += 1
        return ObjectHash(words: (Self.mix(UInt64(device.number) << 40 | device.lastSeal), kind, 0, 0))
    }

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest {
        var hasher = TermHasher()
        hasher.add(name.words.0)
        hasher.add(version.time ^ UInt64(version.count) << 48 ^ UInt64(version.epoch.rawValue) << 32)
        hasher.add(version.device.words.0)
        hasher.add(content.words.0)
        return StateDigest(hasher.state, Self.mix(hasher.state), hasher.state ^ 5, Self.mix(hasher.state ^ 9))
    }

    static func mix(_ number: UInt64) -> UInt64 {
        var numbers = SeededNumbers(seed: number)
        return numbers.next()
    }

    private struct TermHasher {
        var state: UInt64 = 7
        mutating func add(_ word: UInt64) { state = SimulatedEnvironment.mix(state ^ word) }
    }
}
