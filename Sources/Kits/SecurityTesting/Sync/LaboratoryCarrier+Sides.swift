import Synchronization

/// Partitions of a laboratory.
extension LaboratoryCarrier {
    func divide(_ groups: [[String]]) {
        state.withLock { state in
            let first = (state.sides.values.max() ?? 0) + 1
            for (number, group) in groups.enumerated() {
                for name in group { state.sides[name] = first + number }
            }
            state.hold(at: log.now)
            state.spread(at: log.now)
        }
    }

    func unite() {
        state.withLock { state in
            for name in state.readers { state.sides[name] = 0 }
            state.spread(at: log.now)
        }
    }
}

extension LaboratoryCarrier.State {
    /// Returns the devices of each side that see a version.
    private func seers(of version: LaboratoryCarrier.Version, at time: Duration) -> Set<Int> {
        Set(readers.filter { version.isSeen(by: $0, at: time) }.compactMap { sides[$0] })
    }

    /// Stops what is on its way to another side.
    fileprivate mutating func hold(at time: Duration) {
        for (name, list) in versions {
            for (index, version) in list.enumerated() {
                let seers = seers(of: version, at: time)
                for (reader, arrival) in version.arrivals
                where arrival > time && !(sides[reader].map(seers.contains) ?? false) {
                    versions[name]?[index].arrivals[reader] = nil
                }
            }
        }
    }

    /// Sends what some device of a side sees to the others of the side.
    mutating func spread(at time: Duration, delays: Bool = true) {
        // In the order of writing, so that the delays are the same in every run.
        let places = versions.flatMap { name, list in list.indices.map { (name, $0, list[$0].number) } }
            .sorted { $0.2 < $1.2 }
        for (name, index, _) in places {
            guard let version = versions[name]?[index] else { continue }
            let seers = seers(of: version, at: time)
            for reader in readers where version.arrivals[reader] == nil && version.writer != reader {
                guard sides[reader].map(seers.contains) ?? false else { continue }
                let arrival = time + (delays ? delay() : .zero)
                versions[name]?[index].arrivals[reader] = arrival
                if arrival == time { news.insert(reader) }
            }
        }
    }
}
