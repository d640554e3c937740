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

    // Objects in the environment
    let world: SimulatedWorld
    /// The objects that were sealed since the start, and those that came with the present event.
    var sealed: Set<ObjectHash> = []
    var received: Set<ObjectHash> = []
    /// The contents of the objects that were opened in the present event.
    var opened: [ObjectName: [SimulatedRow?]] = [:]
    /// The number of uses of a key until the next one fails. Nil if none does.
    var refusesAfter: Int?
    /// The number of times that a key was gone in the present event.
    var refusals = 0

    init(number: Int, identifier: DeviceIdentifier, database: SimulatedDatabase, world: SimulatedWorld) {
        self.world = world
        self.number = number
        self.identifier = identifier
        self.database = database
    }

    func row(of name: ItemName, at place: ContentPlace) -> SimulatedRow? {
        switch place {
        case .row: database.rows[name]
        case .record(let position, let object): opened[object]?[position]
        }
    }

    /// Returns true if the device knows the statement of the epoch.
    func hasKeys(of epoch: ObjectHash) -> Bool {
        guard let known = world.epochs[epoch] else { return false }
        return database.statements & 1 << UInt64(known.statement) != 0
    }

    /// Returns true if a key that was at hand is gone: the device was locked a moment ago.
    func refuses() -> Bool {
        // Noted by the device: the replica cannot be looked at while it handles an event.
        if refusesAfter == 0 { refusals += 1 }
        guard let count = refusesAfter else { return false }
        refusesAfter = count > 0 ? count - 1 : nil
        return count == 0
    }

    func violate(_ name: String, _ detail: String) {
        if violation == nil { violation = (name, detail) }
    }
}
