/// Finds names in an array. It takes four bytes and a third for a name: the keys of a dictionary are the names once more.
///
/// Open addressing: the number of a name is in the slot of its hash, or the next one that was free. The hash is seeded, because other
/// members choose the names.
struct NameIndex: Sendable {
    private static let free = UInt32.max

    /// The numbers of names. A power of two, of which at most three quarters are in use.
    private var slots = [UInt32](repeating: free, count: 16)

    private var mask: Int { slots.count - 1 }

    /// Returns the number of a name.
    func find(_ name: ItemName, in names: [ItemName]) -> Int? {
        let number = slots[slot(of: name) { names[$0] == name }]
        return number == Self.free ? nil : Int(number)
    }

    /// Adds the last one of the names.
    mutating func addLast(of names: [ItemName]) {
        if names.count * 4 > slots.count * 3 {
            slots = [UInt32](repeating: Self.free, count: slots.count * 2)
            for number in names.indices { put(number, names) }
        } else {
            put(names.count - 1, names)
        }
    }

    /// Removes a name, which is still among the names.
    mutating func remove(_ number: Int, of names: [ItemName]) {
        var hole = slot(of: names[number]) { $0 == number }
        var next = hole
        while true {
            next = (next + 1) & mask
            guard slots[next] != Self.free else { break }
            // A name may stand behind its slot, never before it.
            let distance = (next - home(of: names[Int(slots[next])])) & mask
            guard distance >= (next - hole) & mask else { continue }
            slots[hole] = slots[next]
            hole = next
        }
        slots[hole] = Self.free
    }

    /// Gives a name another number.
    mutating func renumber(_ name: ItemName, from old: Int, to new: Int) {
        slots[slot(of: name) { $0 == old }] = UInt32(new)
    }

    private mutating func put(_ number: Int, _ names: [ItemName]) {
        slots[slot(of: names[number]) { _ in false }] = UInt32(number)
    }

    private func home(of name: ItemName) -> Int { name.hashValue & mask }

    /// Returns the first slot from that of the name on whose number is the right one, or which is free.
    private func slot(of name: ItemName, isRight: (Int) -> Bool) -> Int {
        var slot = home(of: name)
        while slots[slot] != Self.free, !isRight(Int(slots[slot])) { slot = (slot + 1) & mask }
        return slot
    }
}
