import Glibc
package import LatchkeyFileFormat
package import LatchkeyKeybag

/// A file's protection as it lies on disk. It is read without a key, and is not authenticated.
package enum StoredProtection: Sendable, Hashable {
    case clear
    /// A protected file; nil for a class that no release has, or if the header is damaged.
    case file(FileProtection?)
    /// A file on a mounted volume: its content is seen by every program, while the volume lets it.
    case onVolume(FileProtection)

    package var protection: FileProtection? {
        switch self {
        case .clear: nil
        case .file(let protection): protection
        case .onVolume(let protection): protection
        }
    }

    package init(of descriptor: OwnedDescriptor) throws(AccessFailure) {
        if let envelope = try descriptor.envelope() {
            self = .file(envelope.protection)
        } else if let protection = VolumeProtection.of(descriptor) {
            self = .onVolume(protection)
        } else {
            self = .clear
        }
    }

    /// True if a path leads to a directory, also through links.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// True if a path leads to anything, also through links.
    package static func isThere(_ path: String) -> Bool { FileIdentity(ofFileAt: path) != nil }

    /// Returns the class of a file or directory; nil for a file in clear, and for a directory without a class.
    package static func ofItem(at path: String) throws(AccessFailure) -> FileProtection? {
        if isDirectory(path) { return DirectoryProtection.own(ofDirectoryAt: path) }
        return try StoredProtection(of: OwnedDescriptor(opening: path, O_RDONLY)).protection
    }

    /// The class that a call gives to a new file: the one that is named, or that of the file that it replaces. Nil if the
    /// place of the file decides: the directory, or the volume.
    package static func ofNewFile(
        at path: String, named: FileProtection? = nil
    ) throws(AccessFailure) -> FileProtection? {
        if let named { return named }
        // A file that cannot be read here must not get a weaker class.
        return FileIdentity(ofFileAt: path) != nil ? try ofItem(at: path) : nil
    }
}

extension OwnedDescriptor {
    /// The header of a protected file; nil for a file in clear.
    package func envelope() throws(AccessFailure) -> FileEnvelope? {
        do throws(AccessFailure) {
            return try FileEnvelope.readable(in: DescriptorBacking(descriptor: number)).first
        } catch .notProtected {
            return nil
        }
    }

    /// The length of the content, protected or in clear.
    package var contentLength: UInt64 {
        get throws(AccessFailure) {
            if let envelope = try envelope() { return envelope.length }
            return UInt64(max(0, try status().st_size))
        }
    }
}

extension FileEnvelope {
    package var protection: FileProtection? { FileProtection(keyClassNumber: protectionClass) }
}
