import LatchkeySyncCore

extension ReplicaEffect {
    var question: StoreQuestion? {
        if case .read(let question) = self { question } else { nil }
    }

    var createdDots: [Dot] {
        guard case .create(let objects) = self else { return [] }
        return objects.compactMap { object in
            if case .segment(let dot) = object.name { dot } else { nil }
        }
    }

    /// The name of a part of a snapshot that is created.
    var part: ObjectName? {
        guard case .create(let objects) = self, let name = objects.first?.name, case .snapshotPart = name else {
            return nil
        }
        return name
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
                if let name = effect.part { created[name] = parts[name]?.sealed }
                effects += answer(.created(objects.map(\.name)))
            case .writeHead(let head):
                stored = head
                effects += answer(.headWritten(head.number))
            case .read(.snapshotPart(state.device, let number, let part)):
                let name = ObjectName.snapshotPart(state.device, number: number, part: part)
                effects += answer(.snapshotPart(state.device, number: number, part: part, created[name]))
            case .remove(let names): removed += names
            default: break
            }
        }
        return dots
    }
}
