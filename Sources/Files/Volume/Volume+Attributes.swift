import Glibc
import LatchkeyFileAccess
import LatchkeyThreading
import Synchronization

/// Attributes: `stat`, `chmod` and their like.
extension Volume {
    package func attributes(_ number: UInt64) throws(VolumeFailure) -> FileAttributes {
        let node = try node(number)
        return attributes(node, try status(node))
    }

    package func setAttributes(
        _ number: UInt64, _ changes: AttributeChanges
    ) throws(VolumeFailure) -> FileAttributes {
        try checkWritable()
        let node = try node(number)
        if let size = changes.size { try truncate(node, to: size) }
        if changes.owner != nil || changes.group != nil {
            try change(
                node,
                { (descriptor) throws(VolumeFailure) in
                    let outcome = fchown(descriptor.number, changes.owner ?? .max, changes.group ?? .max)
                    guard outcome == 0 else { throw .ofLastCall }
                },
                { (place) throws(VolumeFailure) in
                    try place.backing.setOwner(of: place.name.entry, changes.owner ?? .max, changes.group ?? .max)
                })
        }
        if let permissions = changes.permissions { try setPermissions(node, permissions) }
        if let times = changes.times { try setTimes(node, times) }
        return attributes(node, try status(node))
    }

    /// Returns the values that a program sees of a stored entry.
    func attributes(_ node: VolumeNode, _ status: stat) -> FileAttributes {
        var status = status
        let state = node.state.withLock { ($0.size, $0.permissions, $0.changed) }
        if let permissions = state.1 { status.st_mode = status.st_mode & S_IFMT | permissions }
        switch node.kind {
        case .file:
            status.st_size = off_t(state.0)
            if let changed = state.2 { status.st_mtim = changed }
        case .link:
            status.st_size = off_t(
                NameSeals.targetByteCount(ofSealed: SealedText.byteCount(ofCharacters: Int(status.st_size))))
        case .directory, .other: break
        }
        return FileAttributes(node: node, status: status)
    }

    private func status(_ node: VolumeNode) throws(VolumeFailure) -> stat {
        if let directory = node.directory { return try directory.backing.status() }
        let named = try names.reading { () throws(VolumeFailure) -> stat? in
            guard let place = node.state.withLock({ $0.places.first }) else { return nil }
            return try place.backing.status(of: place.name.entry)
        }
        if let named { return named }
        // Without a name, only an open file is still there.
        return try node.content.withLock { state throws(VolumeFailure) in
            guard let content = state.content else { throw VolumeFailure(ENOENT) }
            return try lifted { () throws(AccessFailure) in try content.descriptor.status() }
        }
    }

    private func setPermissions(_ node: VolumeNode, _ permissions: UInt32) throws(VolumeFailure) {
        let (stored, kept) = Permissions.stored(permissions, node.kind)
        try change(
            node,
            { (descriptor) throws(VolumeFailure) in
                if let kept {
                    try descriptor.setAttribute(Permissions.attribute, Permissions.value(kept))
                } else if node.state.withLock({ $0.permissions }) != nil {
                    try descriptor.removeAttribute(Permissions.attribute)
                }
                guard fchmod(descriptor.number, stored) == 0 else { throw .ofLastCall }
            },
            { (place) throws(VolumeFailure) in
                try place.backing.setPermissions(of: place.name.entry, stored)
            })
        node.state.withLock { state in
            state.permissions = kept
            state.handsGroupOn = node.kind == .directory && stored & UInt32(S_ISGID) != 0
        }
    }

    private func setTimes(_ node: VolumeNode, _ times: FileTimes) throws(VolumeFailure) {
        // Changes that are written out later would set the time again.
        try node.content.withLock { state throws(VolumeFailure) in
            guard let content = state.content, content.isWritable else { return }
            _ = try lifted { () throws(AccessFailure) in try content.file.writeOut() }
            var change = times.change
            if change.tv_nsec == FileTimes.now.tv_nsec { change = .present }
            node.state.withLock { state in
                if change.tv_nsec != FileTimes.omitted.tv_nsec { state.changed = change }
            }
            restoreTimes(node, content)
        }
        try change(
            node, { (descriptor) throws(VolumeFailure) in try descriptor.setTimes(times) },
            { (place) throws(VolumeFailure) in try place.backing.setTimes(of: place.name.entry, times) })
    }

    /// Changes a node through its descriptor, or by its name if it is a link, pipe or socket.
    private func change(
        _ node: VolumeNode, _ opened: (OwnedDescriptor) throws(VolumeFailure) -> Void,
        _ named: (VolumeNode.Place) throws(VolumeFailure) -> Void
    ) throws(VolumeFailure) {
        switch node.kind {
        case .file, .directory: try withDescriptor(of: node, opened)
        case .link, .other:
            try names.reading { () throws(VolumeFailure) in
                guard let place = node.state.withLock({ $0.places.first }) else { throw VolumeFailure(ENOENT) }
                try named(place)
            }
        }
    }

    /// Runs `body` with a descriptor of the stored file or directory.
    func withDescriptor<Value>(
        of node: VolumeNode, _ body: (OwnedDescriptor) throws(VolumeFailure) -> Value
    ) throws(VolumeFailure) -> Value {
        if let directory = node.directory { return try body(directory.backing.descriptor) }
        let named = try names.reading { () throws(VolumeFailure) -> OwnedDescriptor? in
            guard let place = node.state.withLock({ $0.places.first }) else { return nil }
            return try place.backing.open(place.name.entry, O_RDONLY)
        }
        if let named { return try body(named) }
        guard let content = node.content.withLock({ $0.content }) else { throw VolumeFailure(ENOENT) }
        return try body(content.descriptor)
    }
}
