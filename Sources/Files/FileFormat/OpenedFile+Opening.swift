internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

/// Making and opening.
extension OpenedFile {
    static func create(
        _ unwritten: UnwrittenFile, in backing: any Backing, limit: ProtectedFile.MemoryLimit
    ) throws(FileFailure) -> OpenedFile {
        guard try backing.lifted({ (backing) throws(BackingFailure) in try backing.size() }) == 0 else {
            throw .notEmpty
        }
        let parts = unwritten.take()
        let file = OpenedFile(
            header: parts.header, ledger: HeaderLedger(latest: 0, anchor: nil, generation: 1), others: [],
            backing: backing, keys: parts.keys, access: .readWrite, limit: limit)
        try file.writeFirstCopy(parts.firstCopy)
        return file
    }

    static func open(
        _ backing: any Backing, fileKey: SecretBox, access: ProtectedFile.Access, limit: ProtectedFile.MemoryLimit,
        entropy: any Entropy
    ) throws(FileFailure) -> OpenedFile {
        let copies = try HeaderCopies.read(from: backing)
        let found = try copies.authentic(key: FileKeys.headerKey(fileKey))
        let keys = FileKeys(fileKey: fileKey, identifier: found[0].header.identifier, entropy: entropy)
        var chosen = found[0]
        var others = found.dropFirst().map(\.header)
        if !chosen.header.isSettled, let settled = found.dropFirst().first, settled.header.isSettled,
            try !isComplete(chosen.header, since: settled.header, backing, keys)
        {
            // Power failed before what was flushed reached the disk. It was never acknowledged as durable.
            chosen = settled
            others = []
        }
        let anchor = chosen.header.isSettled ? chosen.index : found.first { $0.header.isSettled }?.index
        let ledger = HeaderLedger(latest: chosen.index, anchor: anchor, generation: found[0].header.generation)
        let file = OpenedFile(
            header: chosen.header, ledger: ledger, others: others, backing: backing, keys: keys, access: access,
            limit: limit)
        if access == .readWrite { try file.recover(copies) }
        return file
    }

    /// True if nothing is missing that a flushed header refers to and the settled one does not. An error of the disk
    /// does not say that power failed, so it brings back no earlier state.
    private static func isComplete(
        _ flushed: FileHeader, since settled: FileHeader, _ backing: any Backing, _ keys: FileKeys
    ) throws(FileFailure) -> Bool {
        let positions = BlockPositions(extent: max(flushed.extent, settled.extent))
        var scan = try TreeScan(store: BlockStore(backing: backing, keys: keys, positions: positions))
        try unsafe scan.difference(of: flushed, from: settled) { (_, _) throws(FileFailure) in }
        // Damage may lie in what both trees have if the older one cannot be read.
        return scan.damaged.isEmpty || scan.isOlderUnreadable
    }

    /// Completes what an earlier opening could not: a change of class, and a header copy that was cut off.
    ///
    /// The copy in use stays as it is until the other one is durable.
    private func recover(_ copies: HeaderCopies) throws(FileFailure) {
        let other = copies.copies[1 - ledger.latest]
        var isNeeded = copies.isInDoubt
        switch other {
        case .blank: break
        case .incomplete, .newerVersion: isNeeded = true
        case .complete(let found, let record):
            // The former class may be weaker: its key must not stay. Nor must a header without the tie.
            isNeeded =
                isNeeded || !found.hasSameProtection(as: header) || found.tie != header.tie
                || !FileHeader.isAuthentic(record, key: keys.header)
        }
        guard isNeeded else { return }
        if copies.isInDoubt { try rewrite(since: other.header) }
        try wait(.full)
        ledger.anchor = ledger.latest
        try settle(header, .full)
    }

    /// Writes what the latest header refers to once more, and the header itself: a page that reads as written may have
    /// been dropped by the kernel, and would not be written by a synchronization. Unreadable blocks stay as they are.
    private func rewrite(since older: FileHeader?) throws(FileFailure) {
        // Blocks below a header that is not settled may have been lost as well.
        let base = older.flatMap { $0.isSettled && $0.generation < header.generation ? $0 : nil }
        var scan = try TreeScan(store: store)
        try unsafe scan.difference(of: header, from: base) { (position, bytes) throws(FileFailure) in
            let offset = position * UInt64(TreeShape.blockByteCount)
            try store.backing.lifted { (backing) throws(BackingFailure) in
                try unsafe backing.write(at: offset, from: bytes)
            }
        }
        try writeCopy(header, ledger.latest)
    }
}
