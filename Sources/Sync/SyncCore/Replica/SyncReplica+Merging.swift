extension SyncReplica {
    /// Merges one record into the items, within the open transaction.
    /// - Parameters:
    ///   - dot: where the record was published.
    ///   - vector: what the author of the segment or snapshot had applied.
    mutating func merge(
        _ record: SyncRecord, at dot: Dot, authorHad vector: VersionVector, wasApplied: Bool = false,
        in environment: some ReplicaEnvironment
    ) {
        if let change = waiting[record.name], let content = change.content, !change.isRenewal {
            return meet(
                record, at: dot, localContent: content, isRestored: change.isRestored, in: environment)
        }
        let local = state.items[record.name]
        let verdict = MergeVerdict(
            of: record, over: local, authorHadLocal: authorHadLocal(local, record, vector),
            localAuthorHadRecord: wasApplied || localAuthorHad(record, at: dot, local))
        switch verdict {
        case .take(let reason):
            // After a deletion there is no row to keep.
            if let reason, waiting.isOnlyRenewed(record.name) {
                keepRow(record.name, local?.version, reason)
            }
            takeBackChange(of: record.name)
            replace(local, by: record, at: dot, in: environment)
        case .keep(let reason):
            if let reason { keep(record, reason) }
            if local?.dot == nil { noteReplaced(record, at: dot, wasApplied: wasApplied) }
        case .same:
            guard let local else { return }
            confirm(local, record, at: dot, in: environment)
        }
    }

    private func authorHadLocal(_ local: KnownItem?, _ record: SyncRecord, _ vector: VersionVector) -> Bool {
        guard let local else { return false }
        guard rules.testOnlyVectorsDecideConflicts else { return record.base.map { $0 >= local.version } ?? false }
        // A version that a record without content replaces is kept in any case.
        if case .withheld = record.state { return false }
        return local.dot.map(vector.covers) ?? false
    }

    func localAuthorHad(_ record: SyncRecord, at dot: Dot, _ local: KnownItem?) -> Bool {
        guard let local else { return false }
        guard rules.testOnlyVectorsDecideConflicts else { return local.base.map { $0 >= record.version } ?? false }
        if local.base == record.version { return true }
        return local.dot.flatMap { state.knowledge[$0] }?.covers(dot) ?? false
    }

    func keepsContent(_ record: SyncRecord) -> ItemContent? {
        if case .live(let content) = record.state { content } else { nil }
    }

    mutating func keepRow(_ name: ItemName, _ version: ItemVersion?, _ reason: ConflictReason) {
        record(.conflict(ConflictVersion(name: name, version: version, reason: reason, source: .row)))
    }

    mutating func keep(_ record: SyncRecord, _ reason: ConflictReason) {
        guard let content = keepsContent(record) else { return }
        self.record(
            .conflict(
                ConflictVersion(
                    name: record.name, version: record.version, reason: reason, source: .record(content))))
    }

    /// A record loses against a change that is not published: the change replaces it as well.
    ///
    /// If that change is taken back, this is what the circle has.
    private mutating func noteReplaced(_ record: SyncRecord, at dot: Dot, wasApplied: Bool) {
        let known = state.replaced[record.name]
        if known == nil, wasApplied { return }
        var replaced = KnownItem(record, at: dot)
        if let known {
            guard known.version <= record.version else { return }
            if known.version == record.version {
                guard known.dot.map(isLeftBehind) ?? true else { return }
                replaced = known
                replaced.dot = dot
            }
        }
        // The content does not reach the row.
        if replaced.state == .live, replaced.version != known?.version { replaced.state = .missing }
        self.record(.replaced(record.name, replaced))
    }

    private mutating func replace(
        _ local: KnownItem?, by record: SyncRecord, at dot: Dot, in environment: some ReplicaEnvironment
    ) {
        self.record(KnownItem(record, at: dot), record.name, in: environment)
        if let content = keepsContent(record) {
            recordRow(record.name, content)
        } else if local?.state == .live {
            recordRow(record.name, nil)
        }
    }

    /// The version that this device has arrives once more: adopted by another device, or with the content that was missing.
    private mutating func confirm(
        _ local: KnownItem, _ record: SyncRecord, at dot: Dot, in environment: some ReplicaEnvironment
    ) {
        var item = local
        if item.dot.map(isLeftBehind) ?? true { item.dot = dot }
        if item.state == .missing, let content = keepsContent(record) {
            item.state = .live
            recordRow(record.name, content)
        }
        if waiting[record.name]?.isRenewal ?? false { takeBackChange(of: record.name) }
        if item != local { self.record(item, record.name, in: environment) }
    }
}
