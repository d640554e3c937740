extension SyncReplica {
    /// Puts the changes that can be sealed into segments. The segments, their numbers and the head are one transaction.
    /// - Returns: true if there is a new segment.
    mutating func sealChanges(in environment: some ReplicaEnvironment) -> Bool {
        guard !isHeldUp, !publication.lacksKey, hasSealable else { return false }
        guard let epoch = epochToWrite else { return false }
        let ordered = versionedChanges()
        let unversioned = unversionedChanges(atMost: limits.recordsInPublication - ordered.count, in: environment)
        if ordered.isEmpty, unversioned.isEmpty { return false }
        var batch = PerZone<[SyncRecord]>(both: [])
        var taken: Set<ItemName> = []
        var hasSealed = false
        func add(_ records: [SyncRecord], _ replica: inout SyncReplica) {
            guard let zone = records.first?.zone else { return }
            if !batch[zone].isEmpty, !replica.fits(records, into: batch[zone]) {
                if replica.seal(batch[zone], zone, epoch, in: environment) { hasSealed = true }
                batch[zone] = []
            }
            batch[zone] += records
        }
        environment.expect(
            rows(of: ordered.prefix(limits.recordsInPublication)) + unversioned.map(\.name))
        defer { environment.expect([]) }
        for name in ordered where !taken.contains(name) {
            guard taken.count < limits.recordsInPublication else { break }
            var unit = [name]
            // A primary key change is not divided if its records go to the same zone.
            if let partner = publication.partners[name], ordered.contains(partner), !taken.contains(partner),
                state.items[partner]?.zone == state.items[name]?.zone
            {
                unit.append(partner)
            }
            taken.formUnion(unit)
            add(unit.compactMap { unpublishedRecord($0, in: environment) }, &self)
        }
        for (name, version) in unversioned {
            add([unversionedRecord(name, version, in: environment)].compactMap(\.self), &self)
        }
        for zone in ZoneClass.allCases where !batch[zone].isEmpty {
            if seal(batch[zone], zone, epoch, in: environment) { hasSealed = true }
        }
        return hasSealed
    }

    private var hasSealable: Bool { !index.unpublished.isEmpty || waiting.hasUnversioned }

    /// The names of the versions that wait for their segment and can be sealed now, in the order of the versions.
    private func versionedChanges() -> [ItemName] {
        if index.unpublished.isEmpty { return [] }
        let holds = holdsContents
        let names = index.unpublished.compactMap { name -> (name: ItemName, version: ItemVersion)? in
            guard let item = state.items[name], waiting[name] == nil else { return nil }
            guard lockState.opens(item.zone), !(holds && item.isAlive) else { return nil }
            return (name, item.version)
        }
        return names.sorted { ($0.version, $0.name) < ($1.version, $1.name) }.map(\.name)
    }

    /// The changes without a version that can be sealed now, with the versions that they get if they are. They are the greatest ones of
    /// this device: made now, while nothing can be applied in between.
    private mutating func unversionedChanges(
        atMost limit: Int, in environment: some ReplicaEnvironment
    ) -> [(name: ItemName, version: ItemVersion)] {
        guard waiting.hasUnversioned, limit > 0, reading.isCurrent, !reading.isInterrupted,
            mayApply(nil, in: environment)
        else { return [] }
        let holds = holdsContents
        var names: [ItemName] = []
        for (name, change) in waiting.inOrder where names.count < limit {
            switch change.kind {
            case .put(let content):
                if lockState.opens(content.zone), !holds { names.append(name) }
            case .delete:
                // The circle does not have the item any more.
                state.items[name] == nil ? note(name) : names.append(name)
            }
        }
        guard let versions = newVersions(names.count, in: environment) else { return [] }
        return Array(zip(names, versions).map { (name: $0, version: $1) })
    }

    private func unversionedRecord(
        _ name: ItemName, _ version: ItemVersion, in environment: some ReplicaEnvironment
    ) -> SyncRecord? {
        guard let change = waiting[name] else { return nil }
        let base = base(over: state.items[name])
        guard let reported = change.content else {
            return SyncRecord(name: name, version: version, base: base, state: .gone)
        }
        // A row that has changed again is reported next, with the version of that call.
        guard let content = content(of: name, in: environment), content.digest == reported.digest else { return nil }
        return SyncRecord(name: name, version: version, base: base, state: .live(content))
    }

    private func fits(_ records: [SyncRecord], into batch: [SyncRecord]) -> Bool {
        batch.count + records.count <= limits.recordsInSegment
            && (batch + records).reduce(0) { $0 + $1.byteCount } <= limits.bytesInSegment
    }

    private func unpublishedRecord(_ name: ItemName, in environment: some ReplicaEnvironment) -> SyncRecord? {
        guard let item = state.items[name] else { return nil }
        if item.state == .gone { return SyncRecord(name: name, version: item.version, base: item.base, state: .gone) }
        // A row that has changed again is reported next.
        guard let content = content(of: name, in: environment), content.digest == item.digest else { return nil }
        return SyncRecord(name: name, version: item.version, base: item.base, state: .live(content))
    }

    /// - Returns: false if the key is not at hand any more, or a row has changed meanwhile. The changes stay unpublished.
    private mutating func seal(
        _ records: [SyncRecord], _ zone: ZoneClass, _ epoch: EpochName, in environment: some ReplicaEnvironment
    ) -> Bool {
        let stream = StreamIdentifier(state.device, zone)
        let dot = Dot(stream, state.vector[stream] + 1)
        let draft = SegmentDraft(
            dot: dot, epoch: epoch, previous: state.marks[stream], knows: state.vector, records: records)
        guard let seal = environment.seal(draft) else {
            publication.lacksKey = areCurrent(records, in: environment)
            return false
        }
        record(.outbox(dot, seal))
        record(.knowledge(dot, draft.knows))
        record(.applied(stream, dot.number, seal.hash))
        for sealed in records {
            if waiting[sealed.name] != nil {
                record(.versioned(sealed.name))
                record(KnownItem(sealed, at: dot), sealed.name, in: environment)
                note(sealed.name)
                continue
            }
            guard var item = state.items[sealed.name] else { continue }
            item.dot = dot
            record(item, sealed.name, in: environment)
            if let partner = publication.partners.removeValue(forKey: sealed.name) {
                publication.partners[partner] = nil
            }
        }
        publication.mayDiffer = true
        return true
    }

    /// True if the rows still have the contents of the records. Programs change rows at any time, also while an object is sealed, and such
    /// a change is reported next.
    func areCurrent(_ records: some Sequence<SyncRecord>, in environment: some ReplicaEnvironment) -> Bool {
        records.allSatisfy { record in
            guard case .live(let content) = record.state else { return true }
            return self.content(of: record.name, in: environment) == content
        }
    }
}
