import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyThreading
import Synchronization

/// The content of files.
extension Volume {
    /// Opens a file.
    ///
    /// - Parameter flags: of `open`; `O_TRUNC` empties the file.
    package func open(_ number: UInt64, flags: Int32) throws(VolumeFailure) {
        let node = try node(number)
        // A program with the right to write may empty a file that it opens for reading.
        let isWriting = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
        if isWriting { try checkWritable() }
        try releasingUnused(node) { () throws(VolumeFailure) in
            try node.content.withLock { state throws(VolumeFailure) in
                let content = try opened(node, &state)
                guard content.isWritable || !isWriting else { throw VolumeFailure(EROFS) }
                if flags & O_TRUNC != 0 { try cut(node, content, to: 0) }
                state.handles += 1
            }
        }
        closed.remove(node)
    }

    /// Closes a handle.
    package func release(_ number: UInt64) {
        guard let node = nodes.node(number) else { return }
        let isClosed = node.content.withLock { state in
            state.handles -= 1
            guard state.handles <= 0, let content = state.content else { return false }
            try? writeOut(node, content)
            return true
        }
        guard isClosed else { return }
        let isKept = node.state.withLock { !$0.places.isEmpty && $0.size <= ClosedFiles.sizeLimit }
        guard isKept else { return letGo(node) }
        keep(node)
    }

    /// Reads up to the end of the file, and returns the number of bytes.
    package func read(
        _ number: UInt64, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(VolumeFailure) -> Int {
        try withContent(number) { (_, content) throws(VolumeFailure) in
            try lifted { () throws(AccessFailure) in try unsafe content.file.read(at: offset, into: bytes) }
        }
    }

    package func write(
        _ number: UInt64, at offset: UInt64, from bytes: UnsafeRawBufferPointer
    ) throws(VolumeFailure) {
        try withContent(number) { (node, content) throws(VolumeFailure) in
            do throws(AccessFailure) {
                try unsafe content.file.write(at: offset, from: bytes)
                node.state.withLock { state in
                    state.size = max(state.size, offset + UInt64(bytes.count))
                    state.changed = .present
                }
            } catch {
                if let size = try? content.file.size() { node.state.withLock { $0.size = size } }
                throw VolumeFailure(error)
            }
        }
    }

    /// Writes out what was written, as at each `close`.
    package func flush(_ number: UInt64) throws(VolumeFailure) {
        try withContent(number) { (node, content) throws(VolumeFailure) in try writeOut(node, content) }
    }

    package func synchronize(_ number: UInt64) throws(VolumeFailure) {
        try withContent(number) { (node, content) throws(VolumeFailure) in
            guard content.isWritable else { return }
            try lifted { () throws(AccessFailure) in try content.file.synchronize() }
            restoreTimes(node, content)
        }
    }

    /// Lets a file grow as `fallocate` does. No room is set aside: blocks are never written in place. `ENOSPC` if there is
    /// not as much room now.
    package func allocate(_ number: UInt64, mode: Int32, offset: UInt64, count: UInt64) throws(VolumeFailure) {
        // 1: FALLOC_FL_KEEP_SIZE
        guard mode == 0 || mode == 1 else { throw VolumeFailure(EOPNOTSUPP) }
        try withContent(number) { (node, content) throws(VolumeFailure) in
            let (end, overflow) = offset.addingReportingOverflow(count)
            guard !overflow else { throw VolumeFailure(EFBIG) }
            var space = statvfs()
            guard unsafe fstatvfs(content.descriptor.number, &space) == 0 else { throw .ofLastCall }
            let size = node.state.withLock { $0.size }
            let missing = end > size ? end - max(size, offset) : 0
            guard missing / UInt64(space.f_frsize) < UInt64(space.f_bavail) else { throw VolumeFailure(ENOSPC) }
            if mode == 0, end > size { try cut(node, content, to: end) }
        }
    }

    /// Cuts or extends a file, open or not.
    func truncate(_ node: VolumeNode, to size: UInt64) throws(VolumeFailure) {
        guard node.kind == .file else { throw VolumeFailure(node.kind == .directory ? EISDIR : EINVAL) }
        try whileOpen(node) { (content) throws(VolumeFailure) in
            try cut(node, content, to: size)
            try writeOut(node, content)
        }
    }

    /// Runs `body` with the content of a file that may have no handle.
    func whileOpen<Value: Sendable>(
        _ node: VolumeNode, _ body: (VolumeNode.Content) throws(VolumeFailure) -> Value
    ) throws(VolumeFailure) -> Value {
        let (value, isUnused) = try releasingUnused(node) { () throws(VolumeFailure) in
            try node.content.withLock { state throws(VolumeFailure) -> (Value, Bool) in
                let isUnused = state.content == nil
                return (try body(opened(node, &state)), isUnused)
            }
        }
        if isUnused { letGo(node) }
        return value
    }

    /// Closes a file again that an operation has opened and then failed on: without a handle, a lock would not close it.
    private func releasingUnused<Value>(
        _ node: VolumeNode, _ body: () throws(VolumeFailure) -> Value
    ) throws(VolumeFailure) -> Value {
        do throws(VolumeFailure) {
            return try body()
        } catch {
            closed.remove(node)
            letGo(node)
            throw error
        }
    }

    private func cut(_ node: VolumeNode, _ content: VolumeNode.Content, to size: UInt64) throws(VolumeFailure) {
        guard content.isWritable else { throw VolumeFailure(EROFS) }
        try lifted { () throws(AccessFailure) in try content.file.truncate(to: size) }
        node.state.withLock { state in
            state.size = size
            state.changed = .present
        }
    }

    private func withContent<Value: Sendable>(
        _ number: UInt64, _ body: (VolumeNode, VolumeNode.Content) throws(VolumeFailure) -> Value
    ) throws(VolumeFailure) -> Value {
        let node = try node(number)
        return try node.content.withLock { state throws(VolumeFailure) in
            guard let content = state.content else { throw VolumeFailure(EBADF) }
            return try body(node, content)
        }
    }

    /// The content of a file, opened if it is not. A device that is locked refuses it, whether it was open before or not.
    private func opened(
        _ node: VolumeNode, _ state: inout VolumeNode.ContentState
    ) throws(VolumeFailure) -> VolumeNode.Content {
        guard node.kind == .file else { throw VolumeFailure(node.kind == .directory ? EISDIR : ENXIO) }
        if let content = state.content {
            // Asks the device again if the lock took the key. Changes that could not be written out then are gone.
            let size = try lifted { () throws(AccessFailure) in try content.file.size() }
            node.state.withLock { $0.size = size }
            return content
        }
        let (descriptor, isWritable) = try storedFile(node)
        let file = try lifted { () throws(AccessFailure) in
            // A crash came between the file and its first header: the file has no content.
            guard try descriptor.status().st_size == 0 else {
                return try vault.open(descriptor, forWriting: isWritable)
            }
            let key = try vault.newKey(newProtection(of: node))
            // Another empty file stands for one that may not be written.
            return try vault.make(key, in: isWritable ? descriptor : .unnamed())
        }
        file.followDevice()
        let content = VolumeNode.Content(file: file, descriptor: descriptor, isWritable: isWritable)
        let size = try lifted { () throws(AccessFailure) in try file.size() }
        node.state.withLock { state in
            state.size = size
            state.protection = file.protection
        }
        state.content = content
        return content
    }

    private func newProtection(of node: VolumeNode) -> FileProtection {
        node.state.withLock { $0.places.first }?.parent.protection ?? description.defaultProtection
    }

    /// Opens the stored file of a node that has none open.
    private func storedFile(_ node: VolumeNode) throws(VolumeFailure) -> (OwnedDescriptor, isWritable: Bool) {
        try names.reading { () throws(VolumeFailure) in
            guard let place = node.state.withLock({ $0.places.first }) else { throw VolumeFailure(ENOENT) }
            guard !isReadOnly else { return (try place.backing.open(place.name.entry, O_RDONLY), false) }
            do throws(VolumeFailure) {
                return (try place.backing.open(place.name.entry, O_RDWR), true)
            } catch {
                guard [EROFS, EACCES, EPERM].contains(error.number) else { throw error }
                return (try place.backing.open(place.name.entry, O_RDONLY), false)
            }
        }
    }

    private func writeOut(_ node: VolumeNode, _ content: VolumeNode.Content) throws(VolumeFailure) {
        guard content.isWritable else { return }
        guard try lifted({ () throws(AccessFailure) in try content.file.writeOut() }) else { return }
        restoreTimes(node, content)
    }

    /// Gives the stored file the time at which a program last changed it.
    func restoreTimes(_ node: VolumeNode, _ content: VolumeNode.Content) {
        guard let changed = node.state.withLock({ $0.changed }) else { return }
        try? content.descriptor.setTimes(FileTimes(change: changed))
    }

    /// Closes the content of a file without handles.
    func letGo(_ node: VolumeNode) {
        // Released only after the lock: the end of an open file may write.
        let released = node.content.withLock { state -> VolumeNode.Content? in
            guard state.handles <= 0, let content = state.content else { return nil }
            try? writeOut(node, content)
            // A lock may have written the content out before.
            restoreTimes(node, content)
            node.state.withLock { $0.changed = nil }
            state.content = nil
            return content
        }
        withExtendedLifetime(released) {}
    }
}

extension timespec {
    /// The present time.
    static var present: timespec {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return time
    }
}
