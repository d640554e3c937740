import LatchkeySyncCore

extension ReplicaEffect {
    var question: StoreQuestion? {
        if case .read(let question) = self { question } else { nil }
    }

    var createdDots: [Dot] {
        guard case .create(let objects) = self else { return [] }
        return objects.compactMap { object in
            if case .segment(let segment) = object { segment.dot } else { nil }
        }
    }

    var snapshot: Snapshot? {
        guard case .create(let objects) = self, case .snapshot(let snapshot)? = objects.first else { return nil }
        return snapshot
    }

    var head: Head? {
        if case .writeHead(let head) = self { head } else { nil }
    }

    var raised: SyncAlarm? {
        if case .raise(let alarm) = self { alarm } else { nil }
    }

    var removed: [ObjectName] {
        if case .remove(let names) = self { names } else { [] }
    }
}

extension [ReplicaEffect] {
    func contains(_ alarm: SyncAlarm) -> Bool { contains { $0.raised == alarm } }
}

extension Bench {
    /// Brings the publications of the replica to the store, as a store that takes everything.
    /// - Returns: the segments that were created.
    func publish() -> [Dot] {
        var dots: [Dot] = []
        for _ in 0..<4 {
            uptime += 400 * ReplicaLimits.second
            send(.answer(.heads([])))
            // Answers that no publication waits for have no effect.
            let asked = send(.time) + answer(.ownHead(stored))
            dots += perform(asked)
        }
        return dots
    }

    /// Performs the effects at the store, with those of the answers.
    func perform(_ effects: [ReplicaEffect]) -> [Dot] {
        var dots: [Dot] = []
        var effects = effects
        while let effect = effects.first {
            effects.removeFirst()
            switch effect {
            case .create(let objects):
                dots += effect.createdDots
                if let snapshot = effect.snapshot { snapshots[snapshot.number] = snapshot }
                effects += answer(.created(objects.map(\.name)))
            case .writeHead(let head):
                stored = head
                effects += answer(.headWritten(head.number))
            case .read(.snapshot(state.device, let number)):
                effects += answer(.snapshot(state.device, number: number, snapshots[number]))
            case .remove(let names): removed += names
            default: break
            }
        }
        return dots
    }
}
