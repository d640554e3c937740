import LatchkeyThreading

@_implementationOnly import CLatchkeyShims

/// Locked pages cut into slots, so that taking a small secret costs no system call and `RLIMIT_MEMLOCK`
/// (8 MiB by default) lasts for thousands of keys.
///
/// A slot is wiped when it is returned. Secrets larger than the largest slot get pages of their own; empty ones get
/// none. A slab whose slots are all free is returned to the system, except one of each size: the slabs of one large
/// message must not keep locked memory from other secrets.
///
/// A child of `fork` has arenas of its own: of the parent's, another thread may have been changing the state. Each slab and
/// each larger secret begins with a ``SecretHead``, by which the child sees what is not its own.
final class SecretArena: Sendable {
    /// The kinds of arenas; a process has one of each.
    enum Kind: UInt64, CaseIterable {
        /// Locked; a child of `fork` has zeros in place of the secrets.
        case shared = 1
        /// Wiped like the others, and kept out of core files and of children, but not locked: for content of which there is
        /// much, so that the limit is left to keys.
        case unlocked = 2
        /// Locked, until a `fork`; a child has a copy of the secrets (``SecretBox/keptOnFork()``).
        case kept = 3
    }

    private static let ownShared = ProcessOwned { SecretArena(.shared) }
    private static let ownUnlocked = ProcessOwned { SecretArena(.unlocked) }
    private static let ownKept = ProcessOwned { SecretArena(.kept) }

    /// The arena of this process.
    static func of(_ kind: Kind) -> SecretArena {
        switch kind {
        case .shared: ownShared.object
        case .unlocked: ownUnlocked.object
        case .kept: ownKept.object
        }
    }

    static let slotSizes = [64, 256, 1024, 4096]
    static let slabByteCount = 64 << 10
    /// The size of the head in front of a secret with pages of its own. In a slab the head takes one slot.
    static let headByteCount = Int(LK_SECRET_HEAD_BYTES)

    /// The number of secrets in a slab of this size.
    static func slotCount(ofSize size: Int) -> Int { slabByteCount / slotSizes[size] - 1 }

    @inline(__always) static func isInSlab(_ count: Int) -> Bool { count <= 4096 }

    /// Pages that are cut into slots of one size. They begin at a multiple of their length, so that a slot's address
    /// gives its slab.
    private final class Slab {
        let start: UInt
        let size: Int
        let isLocked: Bool
        let slotCount: Int
        var freeSlots: [UInt16]

        init(size: Int, _ kind: Kind) {
            var locked: Int32 = 0
            let mapped =
                unsafe kind.locksPages
                ? lk_map_secret_slab(SecretArena.slabByteCount, kind.forkRule, kind.rawValue, &locked)
                : lk_map_secret_slab(SecretArena.slabByteCount, kind.forkRule, kind.rawValue, nil)
            guard let pages = unsafe mapped else {
                preconditionFailure("no memory left for secrets")
            }
            start = UInt(bitPattern: pages)
            isLocked = locked != 0
            self.size = size
            slotCount = SecretArena.slotCount(ofSize: size)
            // The first one is the head's.
            freeSlots = (1...UInt16(slotCount)).reversed()
        }

        var isEmpty: Bool { freeSlots.count == slotCount }
    }

    private struct State {
        var slabs: [UInt: Slab] = [:]
        /// For each size the slabs that have a free slot. Slots are taken from the last one: locked slabs stand at the
        /// end, a kept empty one at the beginning.
        var open: [[Slab]] = Array(repeating: [], count: SecretArena.slotSizes.count)
    }

    private let state = ForkMutex(State())
    private let kind: Kind

    /// The address of secrets without bytes.
    private let nothing: UInt

    init(_ kind: Kind = .shared) {
        self.kind = kind
        nothing = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64))
    }

    /// The number of slabs that are mapped now.
    var testOnlySlabCount: Int { state.withLock { $0.slabs.count } }

    /// Takes memory for `count` bytes, zeroed. The slot may be larger; return it with the same pointer and count.
    func take(_ count: Int) -> UnsafeMutableRawPointer {
        if let size = Self.slotIndex(for: count) {
            return unsafe Self.pointer(state.withLock { takeSlot(size, &$0) })
        }
        return unsafe count == 0 ? Self.pointer(nothing) : map(count)
    }

    /// Takes memory for many secrets under one lock.
    func take(_ counts: [Int]) -> [UInt] {
        var places = state.withLock { state in
            counts.map { count in Self.slotIndex(for: count).map { takeSlot($0, &state) } ?? nothing }
        }
        // Pages of their own need system calls: other threads must not wait for those.
        for (index, count) in counts.enumerated() where count > 0 && Self.slotIndex(for: count) == nil {
            places[index] = unsafe UInt(bitPattern: map(count))
        }
        return places
    }

    /// Gives a secret back to the arena that it is from. One of the parent stays where it is: a `fork` has wiped it, or this
    /// wipes the copy.
    static func release(_ pointer: UnsafeMutableRawPointer, count: Int) {
        guard count > 0 else { return }
        let head = unsafe SecretHead(of: pointer, count: count)
        if head.isWiped { return }
        guard head.isOwn, let kind = head.kind else { return unsafe lk_wipe(pointer, count) }
        unsafe of(kind).giveBack(pointer, count: count)
    }

    func giveBack(_ pointer: UnsafeMutableRawPointer, count: Int) {
        guard count > 0 else { return }
        unsafe lk_wipe(pointer, count)
        guard let size = Self.slotIndex(for: count) else {
            unsafe lk_unmap_secret_pages(pointer - Self.headByteCount, count + Self.headByteCount)
            return
        }
        let address = UInt(bitPattern: pointer)
        let unused = state.withLock { Self.giveBackSlot(address, size, &$0) }
        if let unused { unsafe lk_unmap_secret_pages(Self.pointer(unused), Self.slabByteCount) }
    }

    private func takeSlot(_ size: Int, _ state: inout State) -> UInt {
        if state.open[size].isEmpty {
            let slab = Slab(size: size, kind)
            state.slabs[slab.start] = slab
            state.open[size].append(slab)
        }
        guard let slab = state.open[size].last, let slot = slab.freeSlots.popLast() else {
            preconditionFailure("a slab of the secret arena that should have a free slot has none")
        }
        if slab.freeSlots.isEmpty { state.open[size].removeLast() }
        return slab.start + UInt(slot) * UInt(Self.slotSizes[size])
    }

    /// - Returns: the address of a slab that is no longer needed.
    private static func giveBackSlot(_ address: UInt, _ size: Int, _ state: inout State) -> UInt? {
        let start = address & ~UInt(slabByteCount - 1)
        guard let slab = state.slabs[start], slab.size == size else {
            preconditionFailure("a secret came back to the arena that never left it")
        }
        slab.freeSlots.append(UInt16((address - start) / UInt(slotSizes[size])))
        if slab.freeSlots.count == 1 {
            if slab.isLocked { state.open[size].append(slab) } else { state.open[size].insert(slab, at: 0) }
        }
        guard slab.isEmpty, let place = state.open[size].firstIndex(where: { $0 === slab }) else { return nil }
        state.open[size].remove(at: place)
        // One slab stays, preferably a locked one, so that a repeatedly created secret does not map pages each time.
        guard let kept = state.open[size].firstIndex(where: \.isEmpty) else {
            state.open[size].insert(slab, at: 0)
            return nil
        }
        var unused = slab
        if slab.isLocked, !state.open[size][kept].isLocked {
            unused = state.open[size][kept]
            state.open[size][kept] = slab
        }
        state.slabs[unused.start] = nil
        return unused.start
    }

    /// Returns nil for a secret without bytes or too large for a slot.
    private static func slotIndex(for count: Int) -> Int? {
        count == 0 ? nil : slotSizes.firstIndex { count <= $0 }
    }

    private static func pointer(_ address: UInt) -> UnsafeMutableRawPointer {
        guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            preconditionFailure("a slot of the secret arena has no address")
        }
        return unsafe pointer
    }

    /// Maps pages. A failure is not an error for the caller: the process would lose the secret it is about to store.
    private func map(_ count: Int) -> UnsafeMutableRawPointer {
        var locked: Int32 = 0
        let total = count + Self.headByteCount
        let mapped =
            unsafe kind.locksPages
            ? lk_map_secrets(total, kind.forkRule, kind.rawValue, &locked)
            : lk_map_secrets(total, kind.forkRule, kind.rawValue, nil)
        guard let pages = unsafe mapped else {
            preconditionFailure("no memory left for a secret of \(count) bytes")
        }
        return unsafe pages + Self.headByteCount
    }
}

extension SecretArena.Kind {
    fileprivate var locksPages: Bool { self != .unlocked }

    fileprivate var forkRule: lk_secret_fork { self == .kept ? LK_SECRET_KEPT_ON_FORK : LK_SECRET_WIPED_ON_FORK }
}
