/// Per stream the number of the last segment that a device has applied. Streams that are missing have the number 0.
///
/// A list in the order of the devices: a circle has few, and vectors are compared and looked into more often than anything else.
package struct VersionVector: Hashable, Sendable {
    /// Of devices with a segment, in their order.
    private var entries: [Entry] = []

    private struct Entry: Hashable, Sendable {
        let device: DeviceIdentifier
        var numbers: PerZone<UInt64>
    }

    package init(_ numbers: [StreamIdentifier: UInt64] = [:]) {
        for (stream, number) in numbers { self[stream] = number }
    }

    package subscript(_ stream: StreamIdentifier) -> UInt64 {
        get {
            let position = firstPosition(notBefore: stream.device)
            guard position < entries.count, entries[position].device == stream.device else { return 0 }
            return entries[position].numbers[stream.zone]
        }
        set {
            let position = firstPosition(notBefore: stream.device)
            if position < entries.count, entries[position].device == stream.device {
                entries[position].numbers[stream.zone] = newValue
                if entries[position].numbers == PerZone(both: 0) { entries.remove(at: position) }
            } else if newValue > 0 {
                var numbers = PerZone<UInt64>(both: 0)
                numbers[stream.zone] = newValue
                entries.insert(Entry(device: stream.device, numbers: numbers), at: position)
            }
        }
    }

    /// The devices of which the vector names a segment, in their order.
    var devices: [DeviceIdentifier] { entries.map(\.device) }

    /// The streams with a segment, in their order.
    package var streams: [StreamIdentifier] {
        entries.flatMap { entry in
            ZoneClass.allCases.filter { entry.numbers[$0] > 0 }.map { StreamIdentifier(entry.device, $0) }
        }
    }

    package func covers(_ dot: Dot) -> Bool { self[dot.stream] >= dot.number }

    package func covers(_ other: VersionVector) -> Bool {
        var position = 0
        for entry in other.entries {
            while position < entries.count, entries[position].device < entry.device { position += 1 }
            guard position < entries.count, entries[position].device == entry.device,
                entries[position].numbers.a >= entry.numbers.a, entries[position].numbers.c >= entry.numbers.c
            else { return false }
        }
        return true
    }

    /// Takes the greater number of each stream.
    package mutating func formUnion(_ other: VersionVector) {
        var position = 0
        for entry in other.entries {
            while position < entries.count, entries[position].device < entry.device { position += 1 }
            if position < entries.count, entries[position].device == entry.device {
                entries[position].numbers.a = max(entries[position].numbers.a, entry.numbers.a)
                entries[position].numbers.c = max(entries[position].numbers.c, entry.numbers.c)
            } else {
                entries.insert(entry, at: position)
            }
        }
    }

    private func firstPosition(notBefore device: DeviceIdentifier) -> Int {
        entries.firstPosition { $0.device < device }
    }
}
