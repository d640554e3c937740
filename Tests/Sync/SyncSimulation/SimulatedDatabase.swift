import LatchkeySyncCore

/// The database of a simulated device: what survives a crash.
struct SimulatedDatabase {
    var state: ReplicaState
    /// The item table.
    var rows: [ItemName: SimulatedRow] = [:]
    /// The changes that no item has, as in `syncchanges`.
    var differing: [ItemName: SimulatedChange] = [:]
    /// The rows that have no name yet, as in `syncunnamed`.
    var unnamed: [ItemName: UnnamedRow] = [:]
    /// The times of deletions whose tombstones were forgotten.
    var deletions: [ItemName: UInt64] = [:]
    var conflicts: [ConflictVersion] = []
    /// The statements that the device holds, as a bit set.
    var statements: UInt64 = 0
    /// A decision of this device whose consequences are not committed yet.
    var hasDecided = false
    private var lastNumber = 0

    init(state: ReplicaState) {
        self.state = state
    }

    /// A number in the sequence of changes.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The row of a name, if it has it. A row that waits for its name is not found by it.
    func namedRow(_ name: ItemName) -> SimulatedRow? {
        unnamed[name].map(\.isLinked) ?? true ? rows[name] : nil
    }

    /// True while a row that a call has written has no name.
    var hasCallWithoutName: Bool {
        unnamed.values.contains { $0.note.stamp.isOfCall }
    }

    /// The time of the newest deletion of the name that the device knows of and that is not overruled.
    func deletion(of name: ItemName) -> UInt64? {
        if let item = state.items[name] { return item.state == .gone ? item.version.time : nil }
        return deletions[name]
    }
}

/// The columns that a table keeps with a change.
struct ChangeNote {
    var stamp: ChangeStamp
    /// The wall clock of the call.
    let wall: UInt64
    var number: Int
    /// The number of the call in the chronicle.
    let call: Int
}

struct SimulatedChange {
    let change: LocalChange
    var note: ChangeNote

    var stamped: StampedChange { StampedChange(change, note.stamp) }
    var isPut: Bool { if case .put = change { true } else { false } }
}

struct UnnamedRow {
    var note: ChangeNote
    /// The row still has the name, and was written without keys since.
    let isLinked: Bool
    /// The row is as the version of its item: the rules have changed since it was named.
    var isNamedAgain = false
    /// A former name whose deletion waits for the row: only where that rule is left out.
    var former: (name: ItemName, note: ChangeNote)?
}

extension ChangeStamp {
    /// True for the change of a call since the device joined.
    var isOfCall: Bool {
        switch self {
        case .made, .awaitsEpoch: true
        case .none, .testOnlyWhenMet: false
        }
    }

    /// True for a call that waits for an epoch.
    var isWaiting: Bool {
        if case .awaitsEpoch = self { true } else { false }
    }

    var clock: DeviceClock? {
        if case .made(let clock) = self { clock } else { nil }
    }
}
