import LatchkeySyncCore

/// The database of a simulated device: what survives a crash.
struct SimulatedDatabase {
    var state: ReplicaState
    /// The item table.
    var rows: [ItemName: SimulatedRow] = [:]
    /// The rows that differ from their `syncitems` rows.
    var differing: [ItemName: LocalChange] = [:]
    var conflicts: [ConflictVersion] = []
    /// The statements that the device holds, as a bit set.
    var statements: UInt64 = 0
    /// A decision of this device whose consequences are not committed yet.
    var hasDecided = false
}
