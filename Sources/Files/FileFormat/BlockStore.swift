/// Sealed blocks in the backing: writes them to free positions and reads them back.
final class BlockStore {
    let backing: any Backing
    let keys: FileKeys
    var positions: BlockPositions

    /// Adjacent blocks are read and written in runs of at most so many.
    static let runLimit = 64

    private var scratch = CiphertextScratch(blockCount: 1)

    init(backing: any Backing, keys: FileKeys, positions: BlockPositions) {
        self.backing = backing
        self.keys = keys
        self.positions = positions
    }

    /// Seals blocks and writes them to free positions, then calls `assign` with each reference.
    ///
    /// When it throws, the blocks that were not assigned are as before, and take no space.
    func write(
        count: Int, level: Int, source: (Int) -> UnsafeRawBufferPointer,
        assign: (Int, BlockReference) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        var done = 0
        while done < count {
            done += try unsafe writeRun(from: done, count: count, level: level, source: source, assign: assign)
        }
    }

    private func writeRun(
        from start: Int, count: Int, level: Int, source: (Int) -> UnsafeRawBufferPointer,
        assign: (Int, BlockReference) throws(FileFailure) -> Void
    ) throws(FileFailure) -> Int {
        let limit = min(Self.runLimit, count - start)
        guard let first = positions.take() else { throw .tooLarge }
        var run = 1
        while run < limit, positions.take(at: first + UInt64(run)) { run += 1 }
        if scratch.blockCount < run { scratch = CiphertextScratch(blockCount: min(Self.runLimit, 2 * run)) }
        scratch.references.removeAll(keepingCapacity: true)
        for index in 0..<run {
            let reference = unsafe keys.seal(
                source(start + index), level: level, position: first + UInt64(index), into: scratch.block(index))
            scratch.references.append(reference)
        }
        var assigned = 0
        do throws(FileFailure) {
            try unsafe writeSealed(scratch.blocks(run), at: first)
            while assigned < run {
                try assign(start + assigned, scratch.references[assigned])
                assigned += 1
            }
        } catch {
            for index in assigned..<run { positions.release(first + UInt64(index), isOwn: true) }
            throw error
        }
        return run
    }

    private func writeSealed(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws(FileFailure) {
        do throws(BackingFailure) {
            try unsafe backing.write(at: position * UInt64(TreeShape.blockByteCount), from: bytes)
        } catch {
            throw .backing(error)
        }
    }

    /// Gives up the position of a block or node that the tree no longer refers to.
    ///
    /// - Returns: false if the reference was not honest.
    @discardableResult
    func release(_ reference: BlockReference) -> Bool {
        positions.release(reference.position, isOwn: keys.hasSealed(under: reference.salt))
    }

    /// Reads adjacent positions, still sealed. Positions beyond the end of the backing read as zeros.
    func readSealed(at position: UInt64, into output: UnsafeMutableRawBufferPointer) throws(FileFailure) {
        do throws(BackingFailure) {
            let count = try unsafe backing.read(at: position * UInt64(TreeShape.blockByteCount), into: output)
            guard count < output.count else { return }
            unsafe UnsafeMutableRawBufferPointer(rebasing: output[count...]).initializeMemory(
                as: UInt8.self, repeating: 0)
        } catch {
            throw .backing(error)
        }
    }

    /// Reads and decrypts one block or node.
    ///
    /// - Returns: false, with the output wiped, if it is not what the reference means.
    func read(
        _ reference: BlockReference, level: Int, into output: UnsafeMutableRawBufferPointer
    ) throws(FileFailure) -> Bool {
        guard positions.contains(reference.position) else { return false }
        try unsafe readSealed(at: reference.position, into: output)
        return unsafe keys.open(UnsafeRawBufferPointer(output), level: level, reference: reference, into: output)
    }
}

/// Memory for one run of sealed blocks. Ciphertext is not secret.
@safe final class CiphertextScratch {
    let blockCount: Int
    var references: [BlockReference] = []
    private let start: UnsafeMutableRawPointer

    init(blockCount: Int) {
        self.blockCount = blockCount
        unsafe start = UnsafeMutableRawPointer.allocate(
            byteCount: blockCount * TreeShape.blockByteCount, alignment: 64)
        references.reserveCapacity(blockCount)
    }

    func block(_ index: Int) -> UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(
            start: start + index * TreeShape.blockByteCount, count: TreeShape.blockByteCount)
    }

    func blocks(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start, count: count * TreeShape.blockByteCount)
    }

    deinit {
        unsafe start.deallocate()
    }
}
