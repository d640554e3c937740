internal import LatchkeySecretMemory

/// The result of verifying a whole file.
package struct FileCheck: Sendable, Equatable {
    /// Ranges of bytes that cannot be read, ascending and apart from each other.
    package let damaged: [Range<UInt64>]
    /// The number of header copies that are intact; a file that was synchronized at least twice has 2.
    package let headerCopies: Int
    /// The number of header copies that were written and are not intact: damaged, or cut off by a loss of power. Opening the
    /// file for writing replaces them.
    package let damagedHeaderCopies: Int

    package var isIntact: Bool { damaged.isEmpty }
}

extension OpenedFile {
    func check(proceed: (Int) -> Bool) throws(FileFailure) -> FileCheck {
        if isModified {
            try prepareChange()
            try writeOut()
        }
        var current = header
        current.root = tree.root
        current.depth = tree.depth
        var scan = try TreeScan(store: store)
        try unsafe scan.difference(of: current, from: nil) { (_, bytes) throws(FileFailure) in
            guard proceed(bytes.count) else { throw .closed }
        }
        let copies = try HeaderCopies.read(from: store.backing)
        let intact = try copies.authentic(key: keys.header).count
        return FileCheck(
            damaged: joined(scan.damaged + scan.unreadable), headerCopies: intact,
            damagedHeaderCopies: copies.copies.count { $0 != .blank } - intact)
    }

    private func joined(_ ranges: [Range<UInt64>]) -> [Range<UInt64>] {
        var joined: [Range<UInt64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let range = range.clamped(to: 0..<length)
            guard !range.isEmpty else { continue }
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
