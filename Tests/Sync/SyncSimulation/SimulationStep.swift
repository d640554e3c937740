package import LatchkeySyncCore

/// One step of a simulation, with the time that passes before it. Devices are taken modulo their number, so steps can be left out.
package struct SimulationStep: Sendable, CustomStringConvertible {
    /// Microseconds.
    package var wait: UInt64
    package var action: Action

    package enum Action: Sendable {
        /// - Parameter isNamed: false while the keys for names are not lent.
        case write(device: Int, name: Int, zone: ZoneClass, content: Int, isNamed: Bool = true)
        case delete(device: Int, name: Int, tombstone: Bool)
        case rename(device: Int, from: Int, to: Int, content: Int, isNamed: Bool = true)
        /// A program writes without a name just before a transaction that applies something.
        case writeBeforeApplying(device: Int, name: Int, content: Int)
        /// A program writes an item again as it is, after the replica was told of it and before it gets its first
        /// version.
        case writeBeforeVersion(device: Int, name: Int, isNamed: Bool)
        /// - Parameter lock: the lock state with which an engine begins that was off.
        case engine(device: Int, EngineState, lock: SyncLockState = .unlocked)
        case backUpItems(device: Int)
        case restoreItems(device: Int, from: Int, replacing: Bool)
        /// A row that was there before may be shared from now on.
        case allowGroup(device: Int, name: Int, content: Int)
        /// The rules by which rows are shared have changed: every row waits for its name.
        case nameAgain(device: Int)
        case lock(device: Int, SyncLockState)
        case crash(device: Int, afterEffects: Int, restarts: Bool)
        case online(device: Int, Bool)
        case divide(groups: Int)
        case heal
        case network(Network)
        case join(author: Int, names: Int)
        case remove(author: Int, victim: Int)
        case leave(device: Int)
        case newEpoch(device: Int)
        /// The device has seen, or written, nearly the last version that its epoch has.
        case exhaust(device: Int)
        case mark
        case rollBack(onlyDevice: Int?)
        case lose(percent: Int, heads: Bool)
        case withhold(author: Int, reader: Int)
        case backUp(device: Int)
        case restore(device: Int, asTwin: Bool)
        case moveClock(device: Int, seconds: Int64)
        case restoreConflict(device: Int)
        case hint(device: Int)
        /// A key that the device was to have is gone when it is used.
        case refuse(device: Int, after: Int)
    }

    /// The state of the part of a device that exchanges items.
    package enum EngineState: Hashable, Sendable {
        case running
        /// An engine that hears of no change. Its transactions are refused where a change is in the way.
        case busy
        /// Programs write without it, and without the keys of the circle.
        case off
    }

    /// The faults of the way to the store.
    package struct Network: Sendable {
        /// The percentage of objects that become visible to a reader after seconds, hours, or never on their own.
        package var late = 0
        package var veryLate = 0
        package var lost = 0
        package var duplicated = 0
        package var hintsLost = 20

        package static let good = Network()

        package init(late: Int = 0, veryLate: Int = 0, lost: Int = 0, duplicated: Int = 0, hintsLost: Int = 20) {
            self.late = late
            self.veryLate = veryLate
            self.lost = lost
            self.duplicated = duplicated
            self.hintsLost = hintsLost
        }
    }

    package init(after wait: UInt64, _ action: Action) {
        self.wait = wait
        self.action = action
    }

    package var description: String { "after \(wait / 1_000_000) s: \(action)" }
}
