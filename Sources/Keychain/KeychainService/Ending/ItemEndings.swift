import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyThreading

/// The effects of the owner's acts that end items: previews the items that an act would end, and ends them after it.
final class ItemEndings: Sendable {
    private let store: ItemStore
    private let enclaveKeys: EnclaveKeyVault
    private let passcodeItems: PasscodeItems
    /// Held while all attributes are read, so that there is only one such read at a time.
    private let longLook = ForkMutex(())

    private var enclave: any EnclaveMailbox { enclaveKeys.enclave }

    init(store: ItemStore, enclaveKeys: EnclaveKeyVault, passcodeItems: PasscodeItems) {
        self.store = store
        self.enclaveKeys = enclaveKeys
        self.passcodeItems = passcodeItems
    }

    /// Returns the number of items that an act would end, by group.
    /// - Parameter isAbandoned: called now and then; true once the program has gone away.
    func preview(
        of cause: EndingCause, isAbandoned: @autoclosure () -> Bool = false
    ) throws(Setback) -> EndingPreview {
        switch cause {
        case .erasure: return EndingPreview(counts: try store.read { try $0.itemCounts(ofClass: nil) })
        case .passcodeRemoval:
            var counts = try store.read { try $0.itemCounts(ofClass: PasscodeItems.keyClass.rawValue) }
            for key in try enclaveKeyRows() where key.record.isOfPasscode {
                counts[key.row.accessGroup, default: 0] += 1
            }
            return EndingPreview(counts: counts)
        case .fingerChange:
            // Any program may ask, and any number of them at once.
            let bound = try longLook.withLock { _ throws(Setback) in try rowsOfFingers(isAbandoned: isAbandoned()) }
            var counts: [String: Int64] = [:]
            for row in bound.rows.map(\.row) + bound.keys.map(\.row) { counts[row.accessGroup, default: 0] += 1 }
            return EndingPreview(counts: counts, unseenCount: bound.unseenCount)
        }
    }

    /// Ends the items of "when passcode set" whose class key is gone. Items of a passcode that was set later stay.
    ///
    /// At any time this or another process may set a passcode and store items under it. So the decision is made inside
    /// the transaction, and does not depend on the existence of a passcode, but on whether the rows belong to the
    /// current one.
    /// - Parameter isNoticedLater: true if another process removed the passcode, or this one was interrupted.
    func endPasscodeItems(isNoticedLater: Bool = false) throws(Setback) {
        let ending = Ending(.passcodeRemoved, at: store.clock.wallTime(), isNoticedLater: isNoticedLater)
        let keys = try enclaveKeyRows().filter { $0.record.isOfPasscode }
        let counts = try store.read { try $0.itemCounts(ofClass: PasscodeItems.keyClass.rawValue) }
        guard !keys.isEmpty || !counts.isEmpty else { return }
        try store.write { [self] writer in
            if try passcodeItems.holdsFormerRows(writer.reader) {
                try writer.endRows(ofClass: PasscodeItems.keyClass.rawValue, as: ending)
            }
            try keys.inBatches { batch throws(Setback) in
                for (key, description) in zip(batch, try enclaveKeys.descriptions(of: batch.map(\.record.blob))) {
                    if case .gone(.classKeyMissing) = description { try onDisk(writer.end(key.row, as: ending)) }
                }
            }
            try writer.forgetOldestEndedRows()
        }
    }

    /// Ends the items that were left when a passcode was removed, because of a crash or by an earlier version. If the
    /// device cannot be written now, the next start tries again.
    func endLeftPasscodeItems() {
        guard isWithoutPasscode else { return }
        try? endPasscodeItems(isNoticedLater: true)
    }

    /// False also if the enclave does not answer.
    private var isWithoutPasscode: Bool {
        guard let status = try? enclave.ask(AskStatus()) else { return false }
        return !status.hasPasscode
    }

    /// Ends the items that were bound to the former set of fingers, as far as they can be read now, after fingers were
    /// enrolled or removed. The others end when a call meets them.
    func endItemsOfFormerFingers() throws(Setback) {
        let now = store.clock.wallTime()
        let bound = try rowsOfFingers()
        var ended: [ItemRow] = []
        try bound.rows.inBatches { batch throws(Setback) in
            let outcomes = try enclave.unwrap(batch.map(\.question))
            for (row, outcome) in zip(batch, outcomes) {
                if case .refused(.invalidated) = outcome { ended.append(row.row) }
            }
        }
        try bound.keys.inBatches { batch throws(Setback) in
            for (key, description) in zip(batch, try enclaveKeys.descriptions(of: batch.map(\.record.blob))) {
                if case .gone(.invalidated) = description { ended.append(key.row) }
            }
        }
        let rows = ended
        try store.write { writer in
            try writer.recordFingerChange(at: now.microsecondsSince2001)
            for row in rows { try writer.end(row, as: Ending(.fingersChanged, at: now)) }
            try writer.forgetOldestEndedRows()
        }
    }

    /// A row that stands for an enclave key.
    private struct EnclaveKeyRow {
        let row: ItemRow
        let record: EnclaveKeyRecord
    }

    /// Returns the rows that stand for enclave keys. They can always be opened.
    private func enclaveKeyRows() throws(Setback) -> [EnclaveKeyRow] {
        guard try store.read({ try $0.itemCount(of: .key) }) > 0 else { return [] }
        let tokens = SearchTokens(key: try enclaveKeys.sealing.keys.searchKey(), itemClass: .key)
        var filter = RowFilter(itemClass: .key)
        filter.tokens = [tokens.condition(.tokenID, is: .string(KeyAttributes.enclaveToken))]
        let rows = try store.readTogether { try $0.allRows(matching: filter) }
        // Outside of the read: opening a row may read the metadata key of its class.
        let records = try enclaveKeys.records(of: rows)
        return rows.compactMap { row in
            records[row.rowID].map { EnclaveKeyRow(row: row, record: $0) }
        }
    }

    /// Returns the items and keys that are bound to a set of fingers. This takes as long as reading all attributes.
    private func rowsOfFingers(
        isAbandoned: @autoclosure () -> Bool = false
    ) throws(Setback) -> (rows: [DecryptedRow], keys: [EnclaveKeyRow], unseenCount: Int64) {
        var bound: [DecryptedRow] = []
        var unseenCount: Int64 = 0
        for schema in ItemSchema.all {
            var last: Int64 = 0
            while true {
                if isAbandoned() { throw .call(.abandoned) }
                let page = try store.rows(
                    matching: RowFilter(itemClass: schema.itemClass), after: last,
                    limit: EnclaveLimits.keysPerBatch, withSecret: false)
                guard let end = page.last else { break }
                last = end.rowID
                // Only an item key can be bound.
                for row in page where row.wrappedItemKey != nil {
                    do throws(Setback) {
                        let item = try enclaveKeys.sealing.item(of: row)
                        if item.accessControl.enrolmentSet != nil {
                            bound.append(DecryptedRow(row: row, item: item))
                        }
                    } catch .key(.locked) {
                        unseenCount += 1
                    } catch .key {
                        // Damaged: the next search quarantines it.
                    }
                }
            }
        }
        let keys = try enclaveKeyRows().filter { $0.record.accessControl.enrolmentSet != nil }
        return (bound, keys, unseenCount)
    }
}
