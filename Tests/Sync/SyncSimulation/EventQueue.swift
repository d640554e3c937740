/// The events to come, in the order of their time. Events of one time keep the order in which they were added.
package struct EventQueue<Event> {
    private struct Entry {
        let time: UInt64
        let sequence: UInt64
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
    }

    private var heap: [Entry] = []
    private var sequence: UInt64 = 0

    package init() {}

    package var nextTime: UInt64? { heap.first?.time }

    package mutating func add(_ event: Event, at time: UInt64) {
        sequence += 1
        heap.append(Entry(time: time, sequence: sequence, event: event))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    package mutating func removeFirst() -> (time: UInt64, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return (first.time, first.event)
    }
}
