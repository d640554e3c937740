import LatchkeyEncoding

/// Events that wait to be written; equal events are counted.
struct PendingEvents {
    private var places: [AuditEvent: Int] = [:]
    private(set) var entries: [(event: AuditEvent, time: WallTime, count: Int64)] = []

    var isEmpty: Bool { entries.isEmpty }
    /// The number of different waiting events.
    var differentCount: Int { entries.count }

    /// - Parameter time: called only if the event is new.
    mutating func add(_ event: AuditEvent, time: () -> WallTime) {
        if let place = places[event] {
            entries[place].count += 1
            return
        }
        places[event] = entries.count
        entries.append((event, time(), 1))
    }

    mutating func removeAll() -> [AuditFiles.Entry] {
        defer {
            places.removeAll(keepingCapacity: true)
            entries.removeAll(keepingCapacity: true)
        }
        return entries.map { AuditFiles.Entry(event: $0.event, time: $0.time, count: $0.count) }
    }
}
