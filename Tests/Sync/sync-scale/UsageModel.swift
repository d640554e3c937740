import LatchkeySyncSimulation

/// Ordinary use, as the model takes it. Times are in microseconds; each day of a device is drawn anew.
struct UsageModel: Sendable {
    static let second: UInt64 = 1_000_000
    static let minute = 60 * second
    static let hour = 60 * minute
    static let day = 24 * hour

    /// Changes per device and day: of ten, six edit an item, three add one, one deletes one.
    var changesPerDay = 5
    /// A device is online from a time in this hour of the day on, for so long.
    var firstHour: UInt64 = 6
    var onlineTime = 16 * hour
    /// The sessions in which a device is unlocked; its changes are made in them.
    var sessionsPerDay = 12
    var sessionTime = 10 * minute
    /// Of ten items, so many are of zone A: readable on an unlocked device alone.
    var zoneATenths: UInt64 = 7
    /// One question or write at the store, and the way of a hint.
    var storeTime: UInt64 = 20_000
    /// Hints that come within this time are one, and the transport reads all heads that often without one.
    var hintInterval: UInt64 = 200_000
    var pollInterval = 5 * minute
    /// The days on which one device is away.
    var awayFrom: UInt64 = 10
    var awayDays: UInt64 = 7

    enum Event {
        case online
        case offline
        case unlock
        case lock
        case change(kind: Int, draw: UInt64)
    }

    /// Returns the events of a device on one day, in the order of their times.
    func events(ofDay day: UInt64, device: Int, _ numbers: inout SeededNumbers) -> [(time: UInt64, event: Event)] {
        let start = day * Self.day + firstHour * Self.hour + numbers.below(Self.hour)
        let isAway = device == Self.awayDevice && (awayFrom..<awayFrom + awayDays).contains(day)
        var events: [(time: UInt64, event: Event)] = []
        if !isAway { events += [(start, .online), (start + onlineTime, .offline)] }
        let part = onlineTime / UInt64(sessionsPerDay)
        var sessions: [UInt64] = []
        for session in 0..<UInt64(sessionsPerDay) {
            let begin = start + session * part + numbers.below(part - sessionTime)
            sessions.append(begin)
            events += [(begin, .unlock), (begin + sessionTime, .lock)]
        }
        for _ in 0..<changesPerDay {
            let session = sessions[numbers.below(sessions.count)]
            let time = session + 1 + numbers.below(sessionTime - 2)
            events.append((time, .change(kind: numbers.below(10), draw: numbers.next())))
        }
        return events.sorted { $0.time < $1.time }
    }

    static let awayDevice = 1
}
