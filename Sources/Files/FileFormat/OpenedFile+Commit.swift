/// Headers and durability.
extension OpenedFile {
    func synchronize(_ scope: SyncScope) throws(FileFailure) {
        guard access == .readWrite else { return }
        guard !isUnsettled else { throw .unsettled }
        guard isModified || !header.isSettled else { return try confirm(scope) }
        try commit(scope)
    }

    func flush() throws(FileFailure) {
        guard access == .readWrite else { return }
        guard !isUnsettled else { throw .unsettled }
        guard isModified else { return }
        try prepareChange()
        // Positions become free by commits only.
        guard store.positions.releasedCount <= max(256, store.positions.usedCount / 2) else { return try commit(.data) }
        try writeOut()
        // The copy that is overwritten may be the only durable one.
        if ledger.anchor != nil { try confirm(.data) }
        try write(currentHeader(isSettled: false), toCopy: ledger.target)
        store.positions.flush()
    }

    func changeProtection(to protectionClass: UInt8, wrappedKey: [UInt8]) throws(FileFailure) {
        guard wrappedKey.count <= FileHeader.maximumWrappedKeyByteCount else {
            throw .wrappedKeyTooLong(wrappedKey.count)
        }
        try changeBothCopies { next in
            next.protectionClass = protectionClass
            next.wrappedKey = wrappedKey
        }
    }

    func setTie(_ tie: FileTie?) throws(FileFailure) {
        guard header.tie != tie else { return }
        try changeBothCopies { $0.tie = tie }
    }

    /// Changes what both header copies have: each in turn, so that at every moment one of them is complete, and in the end
    /// neither has the former value.
    private func changeBothCopies(_ change: (inout FileHeader) -> Void) throws(FileFailure) {
        // Three headers at most: a change that stops half-way leaves the former key.
        guard ledger.generation + 3 < FileHeader.generationLimit else { throw .tooLarge }
        try prepareChange()
        if isModified || !header.isSettled { try commit(.full) }
        var next = header
        change(&next)
        try confirm(.full)
        for _ in 0..<FileHeader.copyCount { try settle(next, .full) }
    }

    /// Writes blocks and nodes, waits for the disk, then writes a header that refers to them, and waits again.
    func commit(_ scope: SyncScope) throws(FileFailure) {
        try prepareChange()
        try writeOut()
        try wait(scope)
        try settle(currentHeader(isSettled: true), scope)
        store.positions.settle()
        shrinkBacking()
    }

    /// Makes a settled header durable in the copy that may be overwritten.
    func settle(_ next: FileHeader, _ scope: SyncScope) throws(FileFailure) {
        var next = next
        next.isSettled = true
        try write(next, toCopy: ledger.target)
        try wait(scope)
        ledger.anchor = ledger.latest
        ledger.confirmed = scope
    }

    /// Makes what the file was opened with durable, if this opening has not seen that yet.
    private func confirm(_ scope: SyncScope) throws(FileFailure) {
        guard !ledger.isConfirmed(scope) else { return }
        try wait(scope)
        ledger.confirmed = scope
    }

    private func currentHeader(isSettled: Bool) -> FileHeader {
        var next = header
        next.isSettled = isSettled
        next.length = length
        next.extent = store.positions.end
        next.depth = tree.depth
        next.root = tree.root
        return next
    }

    private func write(_ next: FileHeader, toCopy index: Int) throws(FileFailure) {
        var next = next
        next.generation = ledger.generation + 1
        // Nothing would read it again; the headers that are there stay as they are.
        guard next.isPlausible else { throw .tooLarge }
        ledger.generation = next.generation
        try writeCopy(next, index)
        header = next
        ledger.latest = index
    }

    /// Writes one block: a header and, behind it, zeros in place of a mark of doubt.
    func writeCopy(_ header: FileHeader, _ index: Int) throws(FileFailure) {
        guard let failure = writeFailure(header.encoded(key: keys.header), index) else { return }
        doubt()
        throw .backing(failure)
    }

    /// Writes the only header of a new file. A failure leaves the backing empty, so that the caller can try again.
    func writeFirstCopy(_ copy: [UInt8]) throws(FileFailure) {
        guard let failure = writeFailure(copy, 0) else { return }
        try? store.backing.truncate(to: 0)
        throw .backing(failure)
    }

    private func writeFailure(_ copy: [UInt8], _ index: Int) -> BackingFailure? {
        unsafe copy.withUnsafeBytes { bytes in
            do throws(BackingFailure) {
                try unsafe store.backing.write(at: HeaderCopies.offset(ofCopy: index), from: bytes)
                return nil
            } catch {
                return error
            }
        }
    }

    func wait(_ scope: SyncScope) throws(FileFailure) {
        do throws(BackingFailure) {
            try store.backing.synchronize(scope)
        } catch {
            doubt()
            throw .backing(error)
        }
    }

    /// From now on it is unknown which writes are durable: the kernel may have dropped pages that still read as
    /// written. The mark tells the next opening, which reads the same pages; after a loss of power it is not
    /// needed.
    private func doubt() {
        isUnsettled = true
        unsafe HeaderCopies.doubt.withUnsafeBytes { mark in
            try? unsafe store.backing.write(at: HeaderCopies.doubtOffset(ofCopy: ledger.target), from: mark)
        }
    }

    /// Gives back the end of the backing. A failure only costs space.
    private func shrinkBacking() {
        let end = store.positions.end * UInt64(TreeShape.blockByteCount)
        guard let size = try? store.backing.size(), size >= end + UInt64(32 * TreeShape.blockByteCount) else { return }
        try? store.backing.truncate(to: end)
    }
}
