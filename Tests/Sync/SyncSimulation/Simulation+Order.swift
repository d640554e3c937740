import LatchkeySyncCore

extension Simulation {
    /// Of two calls in one epoch of which neither knew the other, the one whose device clock was later in its transaction wins.
    func checkOrder(_ members: [SimulatedDevice]) {
        let got = members.reduce(into: Set<Int>()) { $0.formUnion($1.got) }
        let numbers = Set(members.map(\.number)).subtracting(chronicle.copied)
        let ended = writingRules.countsVoidDeletions ? [] : chronicle.ended
        let counting = chronicle.calls.indices.filter { number in
            let call = chronicle.calls[number]
            guard call.clock != nil, !call.isHere, !ended.contains(number) else { return false }
            return !chronicle.copied.contains(call.device) && (got.contains(number) || numbers.contains(call.device))
        }
        let had = chronicle.calls.indices.filter { number in
            got.contains(number) || numbers.contains(chronicle.calls[number].device)
        }
        for name in names where !chronicle.absent.contains(name) {
            let item = members[0].database.state.items[name]
            let calls = counting.filter { chronicle.calls[$0].name == name }
            if let item {
                checkOrder(name, item, calls, on: members[0])
            } else {
                checkOrder(ofDeletion: name, calls, among: had, on: members[0])
            }
        }
    }

    private func checkOrder(_ name: ItemName, _ item: KnownItem, _ calls: [Int], on device: SimulatedDevice) {
        guard let winner = chronicle.call(of: name, item.version) else { return }
        let current = chronicle.calls[winner]
        if let reason = chronicle.reason(against: current) {
            return device.violate("restored-loses", "\(name) is back: \(reason)")
        }
        guard let clock = current.clock, clock.epoch == item.version.epoch, !chronicle.copied.contains(current.device)
        else { return }
        for number in calls where number != winner {
            let other = chronicle.calls[number]
            guard let later = other.clock, later.epoch == clock.epoch,
                later > clock,
                !current.known.contains(number), !other.known.contains(winner)
            else { continue }
            device.violate("later-call-wins", "\(name): \(clock) is current, \(later) was called later")
        }
    }

    /// Some deletion has won: the greatest of them.
    private func checkOrder(
        ofDeletion name: ItemName, _ calls: [Int], among had: [Int], on device: SimulatedDevice
    ) {
        let deletions = had.filter { number in
            let call = chronicle.calls[number]
            return call.name == name && call.isDeletion && call.version != nil && !call.isVoid && !call.isHere
        }
        guard
            let winner = deletions.max(by: { left, right in
                guard let first = chronicle.calls[left].version, let second = chronicle.calls[right].version else {
                    return false
                }
                return first < second
            }), let clock = chronicle.calls[winner].clock, let version = chronicle.calls[winner].version,
            clock.epoch == version.epoch, !chronicle.copied.contains(chronicle.calls[winner].device)
        else { return }
        for number in calls where !chronicle.calls[number].isDeletion {
            let other = chronicle.calls[number]
            guard let later = other.clock, later.epoch == clock.epoch, later > clock,
                !chronicle.calls[winner].known.contains(number),
                !chronicle.calls.contains(where: { $0.name == name && $0.known.contains(number) })
            else { continue }
            device.violate("later-call-wins", "\(name): the deletion of \(clock) won, \(later) was called later")
        }
    }
}
