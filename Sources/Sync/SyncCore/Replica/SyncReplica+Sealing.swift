extension SyncReplica {
    /// Puts the changes that can be sealed into segments. The segments, their numbers and the head are one transaction.
    /// - Returns: true if there is a new segment.
    mutating func sealChanges(in environment: some ReplicaEnvironment) -> Bool {
        if index.unpublished.isEmpty { return false }
        let holds = holdsContents
        let names = index.unpublished.filter { name in
            state.items[name].map { lockState.opens($0.zone) && !(holds && $0.isAlive) } ?? false
        }
        guard !names.isEmpty, waiting.isEmpty, !publication.lacksKey else { return false }
        guard let epoch = epochToWrite else { return false }
        let ordered = names.compactMap { name in
            state.items[name].map { (name: name, version: $0.version) }
        }.sorted { ($0.version, $0.name) < ($1.version, $1.name) }
        var batch = PerZone<[SyncRecord]>(both: [])
        var taken: Set<ItemName> = []
        var hasSealed = false
        environment.expect(rows(of: ordered.prefix(limits.recordsInPublication).map(\.name)))
        defer { environment.expect([]) }
        for (name, _) in ordered where !taken.contains(name) {
            guard taken.count < limits.recordsInPublication else { break }
            var unit = [name]
            // A primary key change is not divided if its records go to the same zone.
            if let partner = publication.partners[name], names.contains(partner), !taken.contains(partner),
                state.items[partner]?.zone == state.items[name]?.zone
            {
                unit.append(partner)
            }
            taken.formUnion(unit)
            let records = unit.compactMap { unpublishedRecord($0, in: environment) }
            guard let zone = records.first?.zone else { continue }
            if !batch[zone].isEmpty, !fits(records, into: batch[zone]) {
                if seal(batch[zone], zone, epoch, in: environment) { hasSealed = true }
                batch[zone] = []
            }
            batch[zone] += records
        }
        for zone in ZoneClass.allCases where !batch[zone].isEmpty {
            if seal(batch[zone], zone, epoch, in: environment) { hasSealed = true }
        }
        return hasSealed
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
