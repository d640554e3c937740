import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import Synchronization

/// Extended attributes of users, sealed, and the class as an attribute.
extension Volume {
    /// Stored attributes of programs begin so; the sealed name follows.
    static let storedAttributePrefix = "user.latchkey.x."
    private static let prefix = Array("user.".utf8)
    private static let protectionName = Array(DirectoryProtection.attribute.utf8)

    package func extendedAttribute(_ number: UInt64, _ name: [UInt8]) throws(VolumeFailure) -> [UInt8] {
        let node = try node(number)
        try check(name, node, for: .reading)
        if name == Self.protectionName {
            guard let protection = node.protection else { throw VolumeFailure(ENODATA) }
            return Array(protection.rawValue.utf8)
        }
        return try withDescriptor(of: node) { (descriptor) throws(VolumeFailure) in
            let owner = try owner(node, descriptor)
            guard let sealed = try descriptor.attribute(stored(name, owner)) else { throw VolumeFailure(ENODATA) }
            guard let value = seals.openAttributeValue(sealed, named: name, of: owner) else {
                throw VolumeFailure(EIO)
            }
            return value
        }
    }

    /// - Parameter flags: of `setxattr`.
    package func setExtendedAttribute(
        _ number: UInt64, _ name: [UInt8], _ value: [UInt8], flags: Int32
    ) throws(VolumeFailure) {
        try checkWritable()
        let node = try node(number)
        try check(name, node, for: .writing)
        if name == Self.protectionName {
            guard let protection = FileProtection(rawValue: String(decoding: value, as: UTF8.self)) else {
                throw VolumeFailure(EINVAL)
            }
            return try setProtection(node, protection)
        }
        try withDescriptor(of: node) { (descriptor) throws(VolumeFailure) in
            let owner = try owner(node, descriptor)
            let sealed = seals.sealAttributeValue(value, named: name, of: owner)
            try descriptor.setAttribute(stored(name, owner), sealed, flags: flags)
        }
    }

    /// The names of what programs have set. The class is not among them: a tool that copies all attributes would give a copy
    /// the class of the original, in place of that of its new directory.
    package func extendedAttributeNames(_ number: UInt64) throws(VolumeFailure) -> [[UInt8]] {
        let node = try node(number)
        guard node.kind == .file || node.kind == .directory else { return [] }
        return try withDescriptor(of: node) { (descriptor) throws(VolumeFailure) in
            let stored = try descriptor.attributeNames().filter { $0.hasPrefix(Self.storedAttributePrefix) }
            guard !stored.isEmpty else { return [] }
            let owner = try owner(node, descriptor)
            return stored.compactMap { name in
                SealedText.decode(name.utf8.dropFirst(Self.storedAttributePrefix.utf8.count))
                    .flatMap { seals.openAttributeName($0, of: owner) }
                    .map { Self.prefix + $0 }
            }
        }
    }

    package func removeExtendedAttribute(_ number: UInt64, _ name: [UInt8]) throws(VolumeFailure) {
        try checkWritable()
        let node = try node(number)
        try check(name, node, for: .writing)
        try withDescriptor(of: node) { (descriptor) throws(VolumeFailure) in
            if name == Self.protectionName {
                // A file cannot be without a class.
                guard node.kind == .directory else { throw VolumeFailure(EPERM) }
                try descriptor.removeAttribute(DirectoryProtection.attribute)
                node.state.withLock { $0.protection = nil }
            } else {
                try descriptor.removeAttribute(stored(name, try owner(node, descriptor)))
            }
        }
    }

    private func setProtection(_ node: VolumeNode, _ protection: FileProtection) throws(VolumeFailure) {
        if let directory = node.directory {
            try directory.backing.descriptor.setAttribute(
                DirectoryProtection.attribute, Array(protection.rawValue.utf8))
        } else {
            try whileOpen(node) { (content) throws(VolumeFailure) in
                guard content.isWritable else { throw VolumeFailure(EROFS) }
                let before = try lifted { () throws(AccessFailure) in try content.descriptor.status() }
                // Before the header has it: a lock that comes in between finds the file among those to be forgotten.
                let former = node.state.withLock { state in
                    defer { if protection == .complete { state.protection = protection } }
                    return state.protection
                }
                do throws(AccessFailure) {
                    try content.file.setProtection(protection)
                } catch {
                    node.state.withLock { $0.protection = former }
                    throw VolumeFailure(error)
                }
                // The content has not changed.
                node.state.withLock { $0.changed = $0.changed ?? before.st_mtim }
                restoreTimes(node, content)
            }
        }
        node.state.withLock { $0.protection = protection }
    }

    /// True if a stored attribute was sealed by this volume for this owner: name and value.
    func isAttribute(
        _ stored: String, of owner: [UInt8], in descriptor: OwnedDescriptor
    ) throws(VolumeFailure) -> Bool {
        guard let sealed = SealedText.decode(stored.utf8.dropFirst(Self.storedAttributePrefix.utf8.count)),
            let name = seals.openAttributeName(sealed, of: owner), let value = try descriptor.attribute(stored)
        else { return false }
        return seals.openAttributeValue(value, named: Self.prefix + name, of: owner) != nil
    }

    private enum Deed { case reading, writing }

    /// Only attributes of users are the volume's; the kernel also asks for those of security modules at each write.
    private func check(_ name: [UInt8], _ node: VolumeNode, for deed: Deed) throws(VolumeFailure) {
        guard name.starts(with: Self.prefix), name.count > Self.prefix.count else { throw VolumeFailure(EOPNOTSUPP) }
        guard node.kind == .file || node.kind == .directory else {
            throw VolumeFailure(deed == .reading ? ENODATA : EPERM)
        }
    }

    private func stored(_ name: [UInt8], _ owner: [UInt8]) throws(VolumeFailure) -> String {
        let text = SealedText.encode(seals.sealAttributeName(Array(name.dropFirst(Self.prefix.count)), of: owner))
        let stored = Self.storedAttributePrefix + String(decoding: text, as: UTF8.self)
        guard stored.utf8.count <= EntryName.byteLimit else { throw VolumeFailure(ERANGE) }
        return stored
    }

    /// The identifier that the sealed attributes of a file or directory depend on.
    private func owner(_ node: VolumeNode, _ descriptor: OwnedDescriptor) throws(VolumeFailure) -> [UInt8] {
        if let directory = node.directory { return directory.identifier.bytes }
        let envelopes = try lifted { () throws(AccessFailure) in
            try FileEnvelope.readable(in: DescriptorBacking(descriptor: descriptor.number))
        }
        guard let envelope = envelopes.first else { throw VolumeFailure(EIO) }
        return envelope.identifier
    }
}
