/// The use of the backing's blocks: which the header copies on disk may refer to, which were written since, and which
/// are free.
///
/// A position that a header copy refers to becomes free only by ``settle()``, after a header that no longer refers
/// to it is durable. Memory: three bits for each block of the backing.
struct BlockPositions: Sendable {
    /// Positions that must not be taken.
    private var used = PositionSet()
    /// Those of `used` that no header refers to.
    private var fresh = PositionSet()
    /// Those of `used` that the tree in memory no longer refers to.
    private var released = PositionSet()
    /// All positions from here on are free.
    private(set) var end: UInt64
    private(set) var cursor: UInt64

    /// Nothing below is taken.
    private let floor: UInt64
    /// The positions from here on were taken by this opening, if at all.
    private let found: UInt64

    private static let start = UInt64(FileHeader.copyCount)

    /// - Parameters:
    ///   - extent: the larger one of the header copies.
    ///   - keepsAll: takes only positions beyond the extent, because it is unknown what the tree refers to.
    init(extent: UInt64, keepsAll: Bool = false) {
        end = max(extent, Self.start)
        found = end
        floor = keepsAll ? end : Self.start
        cursor = floor
    }

    /// Marks a position that a header on disk refers to. One of the older header only becomes free by ``settle()``.
    ///
    /// - Returns: false if it was marked already.
    mutating func hold(_ position: UInt64, isOlder: Bool) -> Bool {
        guard used.insert(position) else { return false }
        if isOlder { released.insert(position) }
        return true
    }

    func contains(_ position: UInt64) -> Bool { position >= Self.start && position < end }

    /// The number of positions that wait for ``settle()``.
    var releasedCount: UInt64 { released.count }
    var usedCount: UInt64 { used.count }

    /// Takes a free position; nil if only positions beyond ``FileHeader/maximumExtent`` are free.
    mutating func take() -> UInt64? {
        var position = end
        if used.count < end - floor {
            position = used.firstAbsent(in: cursor..<max(cursor, end)) ?? used.firstAbsent(in: floor..<end) ?? end
        }
        return take(at: position) ? position : nil
    }

    /// Takes this position if it is free and not beyond the end.
    mutating func take(at position: UInt64) -> Bool {
        guard position >= floor, position <= end, position < FileHeader.maximumExtent, used.insert(position) else {
            return false
        }
        fresh.insert(position)
        end = max(end, position + 1)
        cursor = position + 1
        return true
    }

    /// Gives up a position that the tree refers to no longer.
    ///
    /// - Parameter isOwn: true if this opening sealed what the reference means. Other references cannot give up
    ///   positions that this opening took.
    /// - Returns: false if the position was not in use: then the reference was not honest.
    @discardableResult
    mutating func release(_ position: UInt64, isOwn: Bool) -> Bool {
        guard contains(position), position < floor || used.contains(position) else { return false }
        guard isOwn else { return position < found && !fresh.contains(position) && released.insert(position) }
        guard fresh.remove(position) else { return released.insert(position) }
        used.remove(position)
        // The search for a free position begins here, not behind all that are taken.
        cursor = min(cursor, position)
        return true
    }

    /// A header was written that refers to what is fresh, and no header before it became invalid.
    mutating func flush() {
        fresh.removeAll()
    }

    /// A header of the tree in memory is durable, and no other will be used again.
    mutating func settle() {
        used.subtract(released)
        released.removeAll()
        fresh.removeAll()
        end = max(floor, (used.last ?? 0) + 1)
        cursor = floor
    }
}
