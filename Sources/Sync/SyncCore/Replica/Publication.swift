/// The publication in flight. Lost at a crash: the own head in the store tells what was done.
struct Publication: Sendable {
    var step = Step.idle
    /// The uptime at which the step is tried again.
    var retriesAt: UInt64 = 0
    var retryInterval: UInt64 = 0
    /// The number of the head that the store is known to have.
    var storedHead: UInt64?
    /// The hash of that head. Nil if the store has none.
    var storedHash: ObjectHash?
    /// The own segments up to these numbers are known to be in the store.
    var stored = PerZone<UInt64>(both: 0)
    /// An own object in whose place the store says to have another one.
    var contested: ObjectName?
    /// The store showed an older own head.
    var isInDoubt = false
    /// The content of the head may not be the current one any more.
    var mayDiffer = true
    /// An object could not be sealed, or the clock of its versions not be stored. Tried again when lock state or circle
    /// change, and with the time.
    var lacksKey = false
    /// The other name of a primary key change, for both names. After a crash the two are published apart.
    var partners: [ItemName: ItemName] = [:]
    /// The uptime at which it is this device's turn to create an epoch, where none can be written in.
    var epochTurnAt: UInt64?
    /// The uptime at which the own objects are compared with the store.
    var auditsAt: UInt64 = 0
    /// Own objects that no head names, with the uptime at which they were found.
    var strays: [ObjectName: UInt64] = [:]

    enum Step: Hashable, Sendable {
        case idle
        /// The own head in the store is being read.
        case comparing
        case creating
        case writingHead
    }
}
