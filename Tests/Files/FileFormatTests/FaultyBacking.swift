import Foundation
import LatchkeyFileFormat
import LatchkeyTestSupport

/// A backing in memory with a page cache: a write lasts through a loss of power only after a synchronization.
/// Faults are planned by the number of the operation that changes something (write, truncate, synchronize), counted
/// from 0.
final class FaultyBacking: Backing {
    enum Fault {
        /// Power fails during the operation; all later ones fail as well.
        case powerCut
        case failure(BackingFailure)
        /// Like the kernel after an I/O error: reports it once and forgets what was not written. It reads as written.
        case lostPages
    }

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    static let sector = 512

    private(set) var cached: [UInt8]
    private var durable: [UInt8]
    private var pending: [Change] = []
    private(set) var operations = 0
    private(set) var synchronizations = 0
    private(set) var latestScope: SyncScope?
    private(set) var writes = 0
    private(set) var reads = 0
    private var hasPower = true
    /// True if the latest pending change is one during which power failed: it may be on the disk, and never was cached.
    private var isLatestCut = false
    private var random: SplitMix

    var faults: [Int: Fault] = [:]
    /// True if every synchronization is like ``Fault/lostPages``.
    var losesPages = false
    var failsReads = false
    /// Positions that cannot be read.
    var badPositions: Set<Int> = []
    var failsTruncates = false
    var isReadOnly = false
    /// In bytes.
    var capacity = Int.max

    init(_ bytes: [UInt8] = [], seed: UInt64 = 1) {
        cached = bytes
        durable = bytes
        random = SplitMix(seed: seed)
    }

    func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(BackingFailure) -> Int {
        reads += 1
        guard hasPower, !failsReads, !badPositions.contains(where: { isTouched($0, offset, bytes.count) }) else {
            throw .system(EIO)
        }
        guard let start = Int(exactly: offset), start < cached.count else { return 0 }
        let count = min(bytes.count, cached.count - start)
        cached.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }

    private func isTouched(_ position: Int, _ offset: UInt64, _ count: Int) -> Bool {
        Int(offset) < (position + 1) * 4096 && Int(offset) + count > position * 4096
    }

    func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(BackingFailure) {
        guard !isReadOnly else { throw .readOnly }
        writes += 1
        let change = Change.write(offset: Int(offset), bytes: Array(bytes))
        guard Int(offset) + bytes.count <= capacity else { throw .noSpace }
        try perform(change)
    }

    func truncate(to size: UInt64) throws(BackingFailure) {
        guard !isReadOnly else { throw .readOnly }
        guard !failsTruncates else { throw .system(EIO) }
        try perform(.truncate(Int(size)))
    }

    func synchronize(_ scope: SyncScope) throws(BackingFailure) {
        synchronizations += 1
        latestScope = scope
        defer { operations += 1 }
        guard hasPower else { throw .system(EIO) }
        switch losesPages ? .lostPages : faults[operations] {
        case nil:
            // Not all that reads as written: lost pages stay lost.
            for change in pending { Self.apply(change, to: &durable) }
            pending = []
        case .powerCut:
            hasPower = false
            throw .system(EIO)
        case .failure(let failure):
            throw failure
        case .lostPages:
            durable = image()
            pending = []
            throw .system(EIO)
        }
    }

    func size() throws(BackingFailure) -> UInt64 { UInt64(cached.count) }

    /// The process was killed and the machine goes on: what was written is read, and still not durable.
    func restartProcess() {
        hasPower = true
        faults = [:]
        if isLatestCut { pending.removeLast() }
        isLatestCut = false
    }

    /// The disk after a loss of power: of each sector that was not synchronized the old or the new bytes.
    func afterPowerLoss(seed: UInt64) -> FaultyBacking {
        random = SplitMix(seed: seed)
        return FaultyBacking(image(), seed: seed)
    }

    private func perform(_ change: Change) throws(BackingFailure) {
        defer { operations += 1 }
        guard hasPower else { throw .system(EIO) }
        switch faults[operations] {
        case nil:
            Self.apply(change, to: &cached)
            pending.append(change)
        case .powerCut:
            pending.append(change)
            isLatestCut = true
            hasPower = false
            throw .system(EIO)
        case .failure(let failure):
            throw failure
        case .lostPages:
            throw .system(EIO)
        }
    }

    private func image() -> [UInt8] {
        var bytes = durable
        let mode = random.next() % 4
        for change in pending {
            switch change {
            case .truncate:
                if keeps(mode) { Self.apply(change, to: &bytes) }
            case .write(let offset, let new):
                var start = 0
                while start < new.count {
                    let end = min(new.count, (offset + start) / Self.sector * Self.sector + Self.sector - offset)
                    if keeps(mode) {
                        Self.apply(.write(offset: offset + start, bytes: Array(new[start..<end])), to: &bytes)
                    }
                    start = end
                }
            }
        }
        return bytes
    }

    /// All, nothing, or half of the sectors; or nearly all.
    private func keeps(_ mode: UInt64) -> Bool {
        switch mode {
        case 0: true
        case 1: false
        case 2: random.next() % 2 == 0
        default: random.next() % 16 != 0
        }
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .truncate(let size):
            if size < bytes.count { bytes.removeLast(bytes.count - size) }
            bytes += [UInt8](repeating: 0, count: size - bytes.count)
        case .write(let offset, let new):
            if bytes.count < offset + new.count {
                bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
            }
            bytes.withUnsafeMutableBytes { buffer in
                UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + new.count]).copyBytes(from: new)
            }
        }
    }

    /// Changes bytes on the disk behind the file's back.
    func damage(_ change: (inout [UInt8]) -> Void) {
        change(&cached)
        durable = cached
        pending = []
    }
}
