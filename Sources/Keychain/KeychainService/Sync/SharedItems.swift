import LatchkeyEnclaveContract
package import LatchkeyItemDatabase

/// The items that this device shares with the others of its circle, for the part of the daemon that exchanges them.
package struct SharedItems: Sendable {
    let store: ItemStore
    let sealing: RowSealing
    let enclave: any EnclaveMailbox
    let circle: ItemCircle
    let ended: EndedItems
    let rows: RemoteRows
    /// The versions of items that lost and are kept.
    package let conflicts: ConflictShelf

    /// Puts the device into a circle. Its synchronizable rows wait for ``nameRows(after:)``.
    /// - Parameter body: writes more of the circle in the same transaction.
    package func enterCircle(
        as device: [UInt8], _ body: @escaping (ItemWriter) throws -> Void = { _ in }
    ) throws(CallFailure) {
        circle.lend(nil, since: 0)
        try write { writer in
            try writer.enterCircle(as: device)
            try body(writer)
        }
    }

    /// Forgets the circle. The items stay.
    package func leaveCircle() throws(CallFailure) {
        circle.lend(nil, since: 0)
        try write { try $0.forgetCircle() }
    }

    /// Lends the keys of the circle until the enclave's keys change. They must then be lent again.
    /// - Parameter epoch: the enclave's key epoch before the keys were opened.
    package func lend(_ keys: SharingKeys?, since epoch: UInt64) {
        circle.lend(keys, since: epoch)
    }

    /// Names a part of the rows that were there before the circle, or were written while its keys were not at hand, as far as they open now.
    /// - Parameter place: the row behind which to go on; nil for the first.
    package func nameRows(after place: NamedPlace?) throws(CallFailure) -> NamedPart {
        do throws(Setback) {
            return try RowNamer(
                store: store, sealing: sealing, enclave: enclave, circle: circle, ended: ended
            ).nameRows(after: place)
        } catch {
            throw failure(error)
        }
    }

    /// Calls `handler` after each change of programs that the circle is to get. It must not wait.
    package func whenChanged(_ handler: @escaping @Sendable () -> Void) {
        store.database.whenSharedChange(handler)
    }

    /// Reads from one committed state.
    package func read<Value>(_ body: (ItemReader) throws -> Value) throws(CallFailure) -> Value {
        do throws(Setback) {
            return try store.readTogether(body)
        } catch {
            throw failure(error)
        }
    }

    /// True while the keys of the circle are lent, those of both zones.
    package var hasSharingKeys: Bool { circle.keys?.digestA != nil }

    /// Returns name, zone and digest of an item of another device. Nil if it cannot be one of this circle, or while keys are missing.
    package func content(of remote: RemoteItem) -> SharedContent? {
        guard rows.accepts(remote) else { return nil }
        return circle.content(of: remote.item, secret: remote.secret)
    }

    /// Checks an item of another device and makes its key ready, before the transaction that writes it.
    package func prepared(_ remote: RemoteItem) throws(SharedItemsFailure) -> RemoteRows.Prepared {
        try rows.prepared(remote)
    }

    /// Commits changes by other devices and everything that belongs to them, in one transaction.
    ///
    /// - Parameters:
    ///   - names: the items that `body` writes or removes.
    ///   - number: the last change of this device's programs that the caller knows.
    ///   - needsNames: true if there is something in it that another device wrote, or that had no version. It is
    ///     refused while a row that a call has written has no name: the row could miss a deletion that this device
    ///     acknowledges, or be of the same item.
    ///   - body: may run several times; only the last one counts.
    package func commit(
        _ names: Set<[UInt8]>, knowing number: Int64, needsNames: Bool = false,
        _ body: @escaping (RemoteRows, ItemWriter) throws -> Void
    ) throws(SharedItemsFailure) {
        var triesLeft = 3
        while true {
            do {
                return try store.database.write { writer in
                    try check(names, knowing: number, writer.reader)
                    if needsNames, try writer.reader.hasCallWithoutName() {
                        throw SharedItemsFailure.changedMeanwhile([])
                    }
                    try body(rows, writer)
                }
            } catch let failure as SharedItemsFailure {
                throw failure
            } catch {
                let setback = Setback(error)
                guard case .database(.numberTaken) = setback, triesLeft > 0 else { throw .failed(failure(setback)) }
                triesLeft -= 1
                // A failure shows at the next try.
                try? store.catchUpWithNumbers()
            }
        }
    }

    /// Deletes every item that this device shares with the circle, here alone.
    package func deleteSharedItems() throws(SharedItemsFailure) {
        do throws(CallFailure) {
            // Asked for with every exchange of a removed device: nothing is written where nothing is left.
            guard try read({ try $0.syncItems().contains { $0.place != nil } }) else { return }
        } catch {
            throw .failed(error)
        }
        try commit([], knowing: .max) { rows, writer in
            for row in try writer.reader.syncItems() where row.place != nil { try rows.remove(named: row.name, writer) }
        }
    }

    /// Refuses names that a program has changed since.
    private func check(
        _ names: Set<[UInt8]>, knowing number: Int64, _ reader: ItemReader
    ) throws {
        var changed: Set<[UInt8]> = []
        for name in names {
            if let change = try reader.syncChange(of: name), change.number > number { changed.insert(name) }
        }
        guard changed.isEmpty else { throw SharedItemsFailure.changedMeanwhile(changed) }
    }

    /// Writes tables of the circle.
    package func write(_ body: @escaping (ItemWriter) throws -> Void) throws(CallFailure) {
        do throws(Setback) {
            try store.write(body)
        } catch {
            throw failure(error)
        }
    }

    func failure(_ setback: Setback) -> CallFailure {
        store.noticeDamage(setback)
        return CallFailure(setback)
    }
}
