import LatchkeySyncCore

/// The part of its version that a waiting change keeps: the columns `origin`, `epoch`, `time` and `count` of `syncchanges` and `syncunnamed`.
package enum SyncStampRow: Sendable, Hashable {
    /// A row from before the circle, or of a group that was allowed later; and a change on this device alone.
    case none
    /// A row of a backup, which loses to a newer deletion.
    case restored
    /// A call, with the clock part of its version.
    case call(SyncClockRow)
    /// A call in an epoch that has no version left, with the time of the call.
    case waitingCall(epoch: UInt32, time: UInt64)
    /// A row that waits for its name, and is as the version of its item: the rules have changed since it was named. No
    /// date tells that, because a row may be dated after the version that has it.
    case namedAgain

    private enum Origin: Int64 {
        case none = 0
        case call = 1
        case restored = 2
        case namedAgain = 3
    }

    /// The condition for the change of a call.
    static let isOfCall = "origin = 1"
    /// That of one whose version is not made yet.
    static let isWaitingCall = "origin = 1 AND count IS NULL"
    static let isRestored = "origin = \(restoredOrigin)"
    static let isNamedAgain = "origin = \(namedAgainOrigin)"
    static let restoredOrigin = Origin.restored.rawValue
    static let namedAgainOrigin = Origin.namedAgain.rawValue
    static let columns = "origin, epoch, time, count"
    static let columnCount = 4

    /// True for the change of a call.
    package var isOfCall: Bool {
        switch self {
        case .call, .waitingCall: true
        case .none, .restored, .namedAgain: false
        }
    }

    /// The time of a call by the clock of the device. Nil for other changes.
    package var time: UInt64? {
        switch self {
        case .call(let clock): clock.time
        case .waitingCall(_, let time): time
        case .none, .restored, .namedAgain: nil
        }
    }

    /// The stamp of the change with which a row gets its name. One that is not as its version after all has no version.
    var ofChange: SyncStampRow { self == .namedAgain ? .none : self }

    var values: [ColumnValue] {
        switch self {
        case .none: [.integer(Origin.none.rawValue), .null, .null, .null]
        case .restored: [.integer(Origin.restored.rawValue), .null, .null, .null]
        case .namedAgain: [.integer(Origin.namedAgain.rawValue), .null, .null, .null]
        case .call(let clock): [.integer(Origin.call.rawValue)] + clock.values
        case .waitingCall(let epoch, let time):
            [.integer(Origin.call.rawValue), .integer(Int64(epoch)), .unsigned(time), .null]
        }
    }
}

extension SyncClockRow {
    init(_ clock: DeviceClock) {
        self.init(epoch: clock.epoch.rawValue, time: clock.time, count: clock.count)
    }

    var clock: DeviceClock { DeviceClock(epoch: EpochNumber(epoch), time: time, count: count) }

    var values: [ColumnValue] { [.integer(Int64(epoch)), .unsigned(time), .integer(Int64(count))] }
}

extension TableRow {
    /// Reads the columns of a stamp, which begin at `first`.
    func stamp(from first: Int) throws(ItemDatabaseFailure) -> SyncStampRow {
        switch try integer(first) {
        case 0: return .none
        case 1 where isNull(first + 3):
            guard let epoch = UInt32(exactly: try integer(first + 1)) else {
                throw .damaged("an epoch is out of range")
            }
            return .waitingCall(epoch: epoch, time: try unsigned(first + 2))
        case 1: return .call(try clock(from: first + 1))
        case 2: return .restored
        case 3: return .namedAgain
        default: throw .damaged("a waiting change has an unknown origin")
        }
    }

    /// Reads epoch, time and count, which begin at `first`.
    func clock(from first: Int) throws(ItemDatabaseFailure) -> SyncClockRow {
        guard let epoch = UInt32(exactly: try integer(first)), let count = UInt32(exactly: try integer(first + 2))
        else { throw .damaged("a clock is out of range") }
        return SyncClockRow(epoch: epoch, time: try unsigned(first + 1), count: count)
    }
}
