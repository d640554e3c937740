import Glibc
package import LatchkeyKeybag

/// An open file that has a class: one that is stored as a protected file, or one on a mounted volume, which looks as if it
/// were in clear and is protected by the volume.
package enum ClassedFile: Sendable {
    case stored(OpenFile)
    case onVolume(OwnedDescriptor)

    package func protection() throws(AccessFailure) -> FileProtection {
        switch self {
        case .stored(let file): file.protection
        case .onVolume(let descriptor):
            // The attribute is always there, unless the process that serves the volume is gone.
            if let protection = VolumeProtection.of(descriptor) { protection } else { throw .notProtected }
        }
    }

    package func setProtection(_ protection: FileProtection) throws(AccessFailure) {
        switch self {
        case .stored(let file): try file.setProtection(protection)
        case .onVolume(let descriptor): try VolumeProtection.set(protection, of: descriptor)
        }
    }

    package func size() throws(AccessFailure) -> UInt64 {
        switch self {
        case .stored(let file): try file.size()
        case .onVolume(let descriptor): UInt64(max(0, try descriptor.status().st_size))
        }
    }

    /// Reads up to the end of the file and returns the number of bytes.
    package func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        switch self {
        case .stored(let file): try unsafe file.read(at: offset, into: bytes)
        case .onVolume(let descriptor): try unsafe descriptor.read(at: offset, into: bytes)
        }
    }

    package func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        switch self {
        case .stored(let file):
            try file.leaveDatabase()
            try unsafe file.write(at: offset, from: bytes)
        case .onVolume(let descriptor): try unsafe descriptor.write(at: offset, from: bytes)
        }
    }

    package func truncate(to length: UInt64) throws(AccessFailure) {
        switch self {
        case .stored(let file):
            try file.leaveDatabase()
            try file.truncate(to: length)
        case .onVolume(let descriptor): try descriptor.truncate(to: length)
        }
    }

    package func writeOut() throws(AccessFailure) {
        // The process that serves a volume has what was written to it.
        if case .stored(let file) = self { try file.writeOut() }
    }

    package func synchronize() throws(AccessFailure) {
        switch self {
        case .stored(let file): try file.synchronize()
        case .onVolume(let descriptor): try descriptor.synchronize()
        }
    }

    func takeOverRights(of former: stat, under path: String) throws(AccessFailure) {
        switch self {
        case .stored(let file): try file.takeOverRights(of: former, under: path)
        case .onVolume(let descriptor): try descriptor.takeOverRights(of: former, under: path)
        }
    }

    /// Lets the file follow the lock of the device while it is open. On a volume it does so already.
    package func followDevice() {
        if case .stored(let file) = self { file.followDevice() }
    }

    /// Writes the whole content of a file that is empty, and returns when it is on disk.
    package func fill(with bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        try unsafe write(at: 0, from: bytes)
        try synchronize()
    }
}

extension FileVault {
    /// Opens a file that has a class.
    ///
    /// - Throws: ``AccessFailure/notProtected`` for a file in clear.
    package func openClassed(_ path: String, forWriting: Bool) throws(AccessFailure) -> ClassedFile {
        let descriptor = try OwnedDescriptor(opening: path, forWriting ? O_RDWR : O_RDONLY)
        if try Self.isOnVolume(descriptor) { return .onVolume(descriptor) }
        return .stored(try open(path, forWriting: forWriting))
    }

    /// Gives a file a class and cuts off what is in it, as ``emptied(_:isNew:permissions:_:)`` does. On a
    /// volume the file is the volume's own: a protected file in it would be protected twice, and other programs would see
    /// its stored bytes.
    ///
    /// - Parameter protection: nil for the class of the directory, or the default. On a volume the volume decides then: it
    ///   also knows its own default, and the class that the program's entitlement names.
    package func emptiedClassed(
        _ path: String, isNew: Bool = false, permissions: UInt32, _ protection: FileProtection?
    ) throws(AccessFailure) -> ClassedFile {
        guard VolumeProtection.isOnVolume(itemAt: path) else {
            let protection = protection ?? DirectoryProtection.ofNewFile(at: path)
            return .stored(try emptied(path, isNew: isNew, permissions: permissions, protection))
        }
        let made = try Self.made(path, permissions: permissions, protection)
        guard made != nil || !isNew else { throw .system(call: "open", errno: EEXIST) }
        let descriptor = if let made { made } else { try OwnedDescriptor(opening: path, O_RDWR) }
        do throws(AccessFailure) {
            guard try Self.isOnVolume(descriptor) else {
                let protection = protection ?? DirectoryProtection.ofNewFile(at: path)
                return .stored(try emptied(path, permissions: permissions, protection))
            }
            if let protection, VolumeProtection.of(descriptor) != protection {
                try VolumeProtection.set(protection, of: descriptor)
            }
            try descriptor.empty()
        } catch {
            if made != nil { descriptor.removeIfEmpty(path) }
            throw error
        }
        return .onVolume(descriptor)
    }

    /// Makes a file on a volume; nil if there is one already. It may have another class than the one that is named.
    private static func made(
        _ path: String, permissions: UInt32, _ protection: FileProtection?
    ) throws(AccessFailure) -> OwnedDescriptor? {
        do throws(AccessFailure) {
            return try OwnedDescriptor(making: path, permissions: permissions)
        } catch .system(let call, EPERM) {
            // The device may refuse the class that the volume gives to new files there, and not the one that is named.
            guard let protection else { throw .system(call: call, errno: EPERM) }
            do throws(AccessFailure) {
                return try VolumeProtection.made(path, permissions: permissions, protection)
            } catch .system(_, EOPNOTSUPP) {
                // Not a volume of this library.
                throw .system(call: call, errno: EPERM)
            }
        }
    }

    /// False for a protected file that is stored in a volume: it is opened as one.
    private static func isOnVolume(_ descriptor: OwnedDescriptor) throws(AccessFailure) -> Bool {
        guard VolumeProtection.of(descriptor) != nil else { return false }
        return try !descriptor.isProtected
    }
}
