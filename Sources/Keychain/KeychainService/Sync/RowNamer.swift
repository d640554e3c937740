import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeySecretMemory

/// Names the rows that were there before the circle, or were written while its keys were not at hand.
struct RowNamer: Sendable {
    private static let pageSize = 32
    /// Of sealed secrets. A named row is written again with all that it has, and the transaction is in memory until it ends.
    private static let pageByteCount = 1 << 20
    private static let pagesOfPart = 16

    let store: ItemStore
    let sealing: RowSealing
    let enclave: any EnclaveMailbox
    let circle: ItemCircle
    let ended: EndedItems

    /// Names the rows of some pages, as far as they open now. Rows of a locked class wait for the next time.
    func nameRows(after place: NamedPlace?) throws(Setback) -> NamedPart {
        var part = NamedPart(end: place)
        for _ in 0..<Self.pagesOfPart {
            part.add(try namePage(after: part.end))
            if part.end == nil { break }
        }
        return part
    }

    private func namePage(after place: NamedPlace?) throws(Setback) -> NamedPart {
        guard circle.keys != nil else { return NamedPart() }
        let classes = ItemSchema.all.map(\.itemClass)
        let itemClass = place?.itemClass ?? classes[0]
        let page = try store.write { writer -> (end: RowPlace?, part: NamedPart) in
            let places = try writer.reader.unnamedRows(
                of: itemClass, after: place?.rowID ?? 0, limit: Self.pageSize)
            let (taken, part) = try name(places, writer)
            return (taken.count == Self.pageSize || taken.count < places.count ? taken.last : nil, part)
        }
        var part = page.part
        if let end = page.end {
            part.end = NamedPlace(itemClass: itemClass, rowID: end.rowID)
        } else {
            let next = classes.drop { $0 != itemClass }.dropFirst().first
            part.end = next.map { NamedPlace(itemClass: $0, rowID: 0) }
        }
        return part
    }

    /// - Returns: the first of the places, as many as a page has room for, and what became of their rows.
    private func name(
        _ places: [RowPlace], _ writer: ItemWriter
    ) throws(Setback) -> (taken: ArraySlice<RowPlace>, part: NamedPart) {
        var part = NamedPart()
        var (takenCount, byteCount) = (0, 0)
        var opened: [(place: RowPlace, row: DecryptedRow)] = []
        for place in places {
            guard byteCount < Self.pageByteCount else { break }
            takenCount += 1
            guard let row = try writer.reader.row(at: place), !row.isTombstone else {
                try onDisk(writer.list(place, as: .unlisted(.here)))
                part.named += 1
                continue
            }
            byteCount += row.sealedSecret?.count ?? 0
            do throws(Setback) {
                opened.append((place, try sealing.wholeRow(row, in: writer.reader)))
            } catch .key(let refusal) {
                if try setAside(row, refusal, writer) { part.named += 1 }
            }
        }
        for (opened, outcome) in zip(opened, try sealing.unguardedSecrets(of: opened.map(\.row), enclave)) {
            switch outcome {
            case .success(let secret):
                switch try name(opened.place, opened.row.item, secret, writer) {
                case .done: part.named += 1
                case .awaitsKeys: break
                case .awaitsDeletion: part.awaitsDeletion = true
                }
            case .failure(let refusal): if try setAside(opened.row.row, refusal, writer) { part.named += 1 }
            }
        }
        return (places.prefix(takenCount), part)
    }

    /// Moves a row out of its table that does not open although the key of its class is at hand: nothing that other devices wrote is applied
    /// while it waits for its name, so that one damaged row would stop the device.
    /// - Returns: false if the row has to wait.
    private func setAside(_ row: ItemRow, _ refusal: KeyRefusal, _ writer: ItemWriter) throws(Setback) -> Bool {
        switch refusal {
        case .locked: return false
        case .authenticationNeeded, .wrongApplicationPassword:
            // The row is sound. One that needs a proof of its own is not shared.
            try onDisk(writer.list(row.place, as: .unlisted(.here)))
        case .classKeyMissing, .damaged, .invalidated, .deleted: try ended.setAside(row, refusal, writer)
        }
        return true
    }

    /// Deletes a restored row that a deletion is newer than, also one that no other device has heard of. A version that lost is kept.
    /// - Returns: nil if the row is named.
    private func buried(
        _ place: RowPlace, _ item: StoredItem, _ name: [UInt8], _ writer: ItemWriter
    ) throws(Setback) -> Outcome? {
        guard try onDisk(writer.reader.stampOfUnnamed(place)) == .restored,
            let deletion = try onDisk(writer.reader.syncDeletion(of: name))
        else { return nil }
        if RestoredRows.stays(deletion, over: item) {
            guard let row = try writer.reader.row(at: place) else { return .done }
            try onDisk(
                writer.keepSyncConflict(
                    rowAt: place, name: name, version: nil, reason: .deleted, at: store.nowMicroseconds()))
            try onDisk(writer.delete(row, departure: .remote))
            return .done
        }
        if case .waiting = deletion { return .awaitsDeletion }
        return nil
    }

    /// The outcome for a row.
    private enum Outcome {
        case done
        case awaitsKeys
        /// A deletion by this device is older than the row, and has to come into the items first.
        case awaitsDeletion
    }

    private func name(
        _ place: RowPlace, _ item: StoredItem, _ secret: SecretBox?, _ writer: ItemWriter
    ) throws(Setback) -> Outcome {
        if let name = circle.name(of: item), let outcome = try buried(place, item, name, writer) { return outcome }
        let former = try onDisk(writer.reader.syncName(of: place))
        // An item of another primary key has left its former name for good.
        let departure: RowDeparture = former == circle.name(of: item) ? .here : .everywhere
        let listing = circle.listing(of: item, secret: secret, orElse: departure)
        if case .later = listing { return .awaitsKeys }
        try onDisk(writer.list(place, as: listing))
        return .done
    }
}

extension ItemReader {
    /// Returns the row at a place, live or tombstone, with its secret.
    func row(at place: RowPlace, withSecret: Bool = true) throws(Setback) -> ItemRow? {
        var filter = RowFilter(itemClass: place.itemClass)
        filter.rowID = place.rowID
        filter.isTombstone = nil
        return try onDisk(rows(matching: filter, limit: 1, withSecret: withSecret)).first
    }
}
