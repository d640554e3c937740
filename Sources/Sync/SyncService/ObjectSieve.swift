internal import LatchkeySyncCore
package import LatchkeySyncStore

/// The choice of the objects that are worth reading, among those of one kind that the store shows.
///
/// An attacker with access to the store can put any bytes under any name. Those that were refused are left out of later
/// exchanges, and those that are new come first.
package struct ObjectSieve {
    /// Bytes that cannot be parsed may be half a copy: they are read again after this time.
    private static let damageInterval = ReplicaLimits.minute

    /// Objects that were judged for good.
    private var judged: Set<StoreObjectName> = []
    /// The uptime from which damaged ones are looked at again.
    private var damaged: [StoreObjectName: UInt64] = [:]
    /// Objects that are of use after others only.
    private var waiting: [StoreObjectName: Set<StoreObjectName>] = [:]

    package init() {}

    /// Returns the names to read, in their order.
    /// - Parameters:
    ///   - shown: the names in the store. All others are forgotten.
    ///   - known: the objects that this device has.
    package mutating func wanted(
        _ shown: Set<StoreObjectName>, known: Set<StoreObjectName>, at uptime: UInt64
    ) -> [StoreObjectName] {
        judged.formIntersection(shown)
        damaged = damaged.filter { shown.contains($0.key) }
        waiting = waiting.filter { shown.contains($0.key) && !known.contains($0.key) }
        let fresh = shown.subtracting(known).subtracting(judged).subtracting(damaged.keys)
            .subtracting(waiting.keys)
        let again = damaged.filter { $0.value <= uptime }.keys
        // A parent that is known, or is about to be read, lets its children be read again.
        let children = waiting.filter { $0.value.contains { known.contains($0) || fresh.contains($0) } }.keys
        return fresh.sorted() + children.sorted() + again.sorted()
    }

    /// Notes that an object needs no further look.
    package mutating func note(judged name: StoreObjectName) {
        forget(name)
        judged.insert(name)
    }

    /// Notes that an object is to be read again when one of the others comes.
    package mutating func note(_ name: StoreObjectName, waitsFor others: Set<StoreObjectName>) {
        forget(name)
        waiting[name] = others
    }

    /// Notes that this device has taken the object.
    package mutating func forget(_ name: StoreObjectName) {
        damaged[name] = nil
        waiting[name] = nil
    }

    package mutating func note(damaged name: StoreObjectName, at uptime: UInt64) {
        damaged[name] = uptime + Self.damageInterval
    }
}
