import LatchkeySyncCore

extension Simulation {
    /// A number that two runs of one seed have in common, whatever the order of hash tables was.
    var digest: UInt64 {
        var rest = numbers
        var words = [failure == nil ? 0 : 1, time, UInt64(objectWrites), rest.next()]
        for device in devices { words += digestWords(of: device) }
        return words.reduce(seed) { SimulatedEnvironment.mix($0 ^ $1) }
    }

    private func digestWords(of device: SimulatedDevice) -> [UInt64] {
        let state = device.database.state
        var words = [
            state.head?.number ?? 0, state.head?.hash.words.0 ?? 0, UInt64(headWrites[device.number] ?? 0),
            device.lastSeal, UInt64(device.session), UInt64(device.database.conflicts.count),
        ]
        for (name, item) in state.items.sorted(by: { $0.key < $1.key }) {
            words += [name.words.0, item.version.time, UInt64(item.version.count), item.dot?.number ?? 0]
        }
        return words
    }
}
