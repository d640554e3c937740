internal import LatchkeySecretMemory

/// Reading and writing.
extension OpenedFile {
    private static let blockByteCount = TreeShape.blockByteCount

    func read(at offset: UInt64, into output: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
        guard offset < length else { return 0 }
        let count = Int(min(UInt64(output.count), length - offset))
        var done = 0
        while done < count {
            let (number, start) = Self.split(offset + UInt64(done))
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[done..<count])
            if start == 0, rest.count >= Self.blockByteCount {
                let blocks = min(BlockStore.runLimit, rest.count / Self.blockByteCount)
                done += try unsafe readBlocks(number, count: blocks, into: rest) * Self.blockByteCount
            } else {
                let block = try cachedBlock(number)
                let size = min(rest.count, Self.blockByteCount - start)
                unsafe rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: block.buffer.bytes[start..<start + size]))
                done += size
            }
            tree.forgetUnchanged()
        }
        return count
    }

    func write(at offset: UInt64, from input: UnsafeRawBufferPointer) throws(FileFailure) {
        guard FileHeader.maximumLength >= UInt64(input.count), offset <= FileHeader.maximumLength - UInt64(input.count)
        else { throw .tooLarge }
        try prepareChange()
        var done = 0
        while done < input.count {
            let (number, start) = Self.split(offset + UInt64(done))
            let rest = unsafe UnsafeRawBufferPointer(rebasing: input[done...])
            if start == 0, rest.count >= Self.blockByteCount {
                let blocks = min(BlockStore.runLimit, rest.count / Self.blockByteCount)
                try unsafe writeBlocks(number, count: blocks, from: rest)
                done += blocks * Self.blockByteCount
            } else {
                let size = min(rest.count, Self.blockByteCount - start)
                try unsafe writePart(of: number, start: start, from: UnsafeRawBufferPointer(rebasing: rest[..<size]))
                done += size
            }
        }
    }

    /// Reads blocks that are adjacent in the backing as well, straight into the output.
    ///
    /// - Returns: the number of blocks that were read, at least 1.
    private func readBlocks(
        _ first: UInt64, count: Int, into output: UnsafeMutableRawBufferPointer
    ) throws(FileFailure) -> Int {
        if let block = cache.isEmpty ? nil : cache.block(first) {
            try complete(block)
            unsafe output.copyMemory(from: UnsafeRawBufferPointer(block.buffer.bytes))
            return 1
        }
        let reference = try tree.reference(ofBlock: first)
        guard !reference.isHole else {
            let block = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<Self.blockByteCount])
            unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
            return 1
        }
        guard store.positions.contains(reference.position) else {
            throw .damaged(damage(at: BlockAddress(level: 0, number: first)))
        }
        run.removeAll(keepingCapacity: true)
        run.append(reference)
        while run.count < count {
            let number = first + UInt64(run.count)
            // An unreadable leaf ends the run; it is reported when the reading comes to it.
            guard cache.isEmpty || cache.block(number) == nil, let next = try? tree.reference(ofBlock: number),
                next.position == reference.position + UInt64(run.count), store.positions.contains(next.position)
            else { break }
            run.append(next)
        }
        let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<(run.count * Self.blockByteCount)])
        try unsafe store.readSealed(at: reference.position, into: sealed)
        for index in run.indices {
            let start = index * Self.blockByteCount
            let block = unsafe UnsafeMutableRawBufferPointer(rebasing: sealed[start..<start + Self.blockByteCount])
            guard unsafe keys.open(UnsafeRawBufferPointer(block), level: 0, reference: run[index], into: block) else {
                throw .damaged(damage(at: BlockAddress(level: 0, number: first + UInt64(index))))
            }
        }
        return run.count
    }

    /// Seals whole blocks straight from the input.
    private func writeBlocks(_ first: UInt64, count: Int, from input: UnsafeRawBufferPointer) throws(FileFailure) {
        try unsafe store.write(
            count: count, level: 0,
            source: { index in
                let start = index * Self.blockByteCount
                return unsafe UnsafeRawBufferPointer(rebasing: input[start..<start + Self.blockByteCount])
            },
            assign: { (index, reference) throws(FileFailure) in
                let number = first + UInt64(index)
                try tree.setReference(reference, of: BlockAddress(level: 0, number: number))
                if !cache.isEmpty { cache.remove(number) }
                length = max(length, (number + 1) * UInt64(Self.blockByteCount))
            })
        try tree.makeRoom()
    }

    private func writePart(of number: UInt64, start: Int, from input: UnsafeRawBufferPointer) throws(FileFailure) {
        try makeRoomForChange()
        let part = start..<start + input.count
        let block = try block(number, toWrite: part)
        unsafe UnsafeMutableRawBufferPointer(rebasing: block.buffer.bytes[part]).copyMemory(from: input)
        block.knownCount = max(block.knownCount, part.upperBound)
        cache.note(block, isChanged: true)
        tree.forgetUnchanged()
        length = max(length, number * UInt64(Self.blockByteCount) + UInt64(start + input.count))
    }

    /// Writes changed blocks out if they fill the cache.
    func makeRoomForChange() throws(FileFailure) {
        cache.evict()
        if cache.count >= cache.limit { try writeOutBlocks() }
        cache.evict()
    }

    private static func split(_ offset: UInt64) -> (number: UInt64, start: Int) {
        (offset / UInt64(blockByteCount), Int(offset % UInt64(blockByteCount)))
    }
}
