import LatchkeyEncoding

/// The log's files, for the writer: repairs their order, appends records, and starts a new file when one is full.
///
/// Several processes may have the same device open, so each append takes a lock. A process that finds new records of
/// another one reads the end of the chain again.
struct AuditFiles {
    /// Equal events that are written as one record.
    struct Entry {
        let event: AuditEvent
        let time: WallTime
        let count: Int64
    }

    private struct Position {
        let stamp: AuditPlace.Stamp
        let link: AuditRecord.Link
    }

    private let place: AuditPlace
    private let fileByteLimit: Int
    private var known: Position?
    /// The number of events that could not be written and are not recorded yet.
    private var lost: Int64 = 0
    /// The last damage found by this process.
    private(set) var report: String?

    init(directory: String, fileByteLimit: Int) {
        place = AuditPlace(directory: directory)
        self.fileByteLimit = fileByteLimit
    }

    /// Appends the entries in order. Events that cannot be written are counted; the next record contains their number.
    /// - Parameter time: the time of the records that the log writes about itself.
    mutating func append(_ entries: [Entry], at time: WallTime) {
        let outcome = place.locked(exclusively: true) { appendLocked(entries, at: time) }
        if case .success(true) = outcome { return }
        known = nil
        lost += entries.reduce(0) { $0 + $1.count }
    }

    private mutating func appendLocked(_ entries: [Entry], at time: WallTime) -> Bool {
        var notes: [AuditEvent] = []
        guard let link = bringInOrder(&notes) else { return false }
        var all = notes.map { Entry(event: $0, time: time, count: 1) }
        if lost > 0 { all.append(Entry(event: AuditNote.lost.event(), time: time, count: lost)) }
        all += entries
        guard !all.isEmpty else {
            remember(link)
            return true
        }
        let (bytes, end) = Self.chained(all, after: link)
        let size = place.stamp(AuditPlace.current)?.byteCount ?? 0
        if size > 0, size + bytes.count > fileByteLimit {
            let first = Entry(event: AuditNote.carriedOn.event(), time: time, count: 1)
            let (bytes, end) = Self.chained([first] + all, after: link)
            guard rotate(beginningWith: bytes) else { return false }
            remember(end)
        } else {
            guard place.append(bytes, to: AuditPlace.current, durably: false) else { return false }
            remember(end)
        }
        lost = 0
        return true
    }

    private mutating func remember(_ link: AuditRecord.Link) {
        known = place.stamp(AuditPlace.current).map { Position(stamp: $0, link: link) }
    }

    private static func chained(
        _ entries: [Entry], after link: AuditRecord.Link
    ) -> (bytes: [UInt8], end: AuditRecord.Link) {
        var bytes: [UInt8] = []
        var link = link
        for entry in entries {
            let record = AuditRecord(
                number: link.number + 1, time: entry.time, count: entry.count, event: entry.event, previous: link.digest
            )
            let frame = RecordFrames.frame(of: record)
            bytes += frame.bytes
            link = frame.link
        }
        return (bytes, link)
    }

    /// The next file is complete and on disk before it replaces the full one, so the end of the chain is never missing.
    private func rotate(beginningWith bytes: [UInt8]) -> Bool {
        place.remove(AuditPlace.next)
        guard place.append(bytes, to: AuditPlace.next, durably: true) else {
            place.remove(AuditPlace.next)
            return false
        }
        return place.rename(AuditPlace.current, to: AuditPlace.former)
            && place.rename(AuditPlace.next, to: AuditPlace.current)
    }

    /// Returns the end of the chain and adds `notes` on any repair; nil if the files cannot be read or changed.
    private mutating func bringInOrder(_ notes: inout [AuditEvent]) -> AuditRecord.Link? {
        let stamp = place.stamp(AuditPlace.current)
        if let known, known.stamp == stamp { return known.link }
        do throws(AuditReadFailure) {
            return try foundLink(&notes, hasFile: stamp != nil)
        } catch {
            return nil
        }
    }

    private mutating func foundLink(
        _ notes: inout [AuditEvent], hasFile: Bool
    ) throws(AuditReadFailure) -> AuditRecord.Link? {
        let hasFormer = place.exists(AuditPlace.former)
        // The last rotation crashed between its two renames.
        if !hasFile, hasFormer { _ = place.rename(AuditPlace.next, to: AuditPlace.current) }
        let frames = RecordFrames(bytes: try place.content(AuditPlace.current))
        let end: ChainCheck.End
        do throws(AuditFault) {
            end = try ChainCheck.end(of: frames, file: AuditPlace.current, mayCarryOn: hasFormer)
            if let known, (end.link?.number ?? 0) < known.link.number {
                throw AuditFault(kind: .missingEnd, file: AuditPlace.current, lastSoundNumber: end.link?.number ?? 0)
            }
            if end.link == nil, hasFormer {
                throw AuditFault(kind: .missingEnd, file: AuditPlace.current, lastSoundNumber: 0)
            }
        } catch {
            return setAside(error, &notes)
        }
        if end.soundByteCount < frames.bytes.count {
            guard place.cut(AuditPlace.current, to: end.soundByteCount) else { return nil }
            notes.append(AuditNote.cutAway.event())
        }
        return end.link ?? .start
    }

    /// A broken chain is evidence: its files are kept, and the first record of the new chain reports the fault.
    private mutating func setAside(_ fault: AuditFault, _ notes: inout [AuditEvent]) -> AuditRecord.Link? {
        known = nil
        for name in [AuditPlace.former, AuditPlace.current] where place.exists(name) {
            guard let aside = place.setAside(name) else { return nil }
            notes.append(AuditNote.setAside.event(about: aside, rule: fault.kind.rawValue))
        }
        if notes.isEmpty { notes.append(AuditNote.setAside.event(rule: fault.kind.rawValue)) }
        report =
            "The audit log was broken: \(fault) Its files are kept as \(place.directory)/audit.broken-… and a new "
            + "chain has begun. Find out who changed them (latchkey audit verify), then move them away."
        return .start
    }
}
