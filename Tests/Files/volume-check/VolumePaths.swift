import Glibc
import LatchkeyKeybag
import LatchkeyVolume

/// A volume by paths, each operation like a program's and durable at its end.
extension Volume {
    private static let caller = VolumeCaller(user: getuid(), group: getgid())

    private func place(_ path: String) throws(VolumeFailure) -> (UInt64, EntryName) {
        let parts = path.split(separator: "/").map { Array($0.utf8) }
        var number = Self.rootNumber
        for part in parts.dropLast() { number = try lookup(number, EntryName(part)).node.number }
        return (number, try EntryName(parts[parts.count - 1]))
    }

    private func number(_ path: String) throws(VolumeFailure) -> UInt64 {
        let (parent, name) = try place(path)
        return try lookup(parent, name).node.number
    }

    /// - Parameter whenDurable: is called when the content is synchronized, and the name not yet.
    func store(_ bytes: [UInt8], in path: String, whenDurable: () -> Void = {}) throws(VolumeFailure) {
        let (parent, name) = try place(path)
        let number = try opened(parent, name)
        defer { release(number) }
        var failure: VolumeFailure?
        unsafe bytes.withUnsafeBytes { bytes in
            do throws(VolumeFailure) {
                try unsafe write(number, at: 0, from: bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try synchronize(number)
        whenDurable()
        try synchronizeDirectory(parent)
    }

    /// Opens a file and empties it, or makes it.
    private func opened(_ parent: UInt64, _ name: EntryName) throws(VolumeFailure) -> UInt64 {
        let known: UInt64
        do throws(VolumeFailure) {
            known = try lookup(parent, name).node.number
        } catch {
            guard error.number == ENOENT else { throw error }
            return try makeFile(parent, name, permissions: 0o600, by: Self.caller).node.number
        }
        try open(known, flags: O_RDWR | O_TRUNC)
        return known
    }

    func cut(_ path: String, to size: UInt64) throws(VolumeFailure) {
        let number = try number(path)
        try open(number, flags: O_RDWR)
        defer { release(number) }
        var changes = AttributeChanges()
        changes.size = size
        _ = try setAttributes(number, changes)
        try synchronize(number)
    }

    func makeDirectory(_ path: String) throws(VolumeFailure) {
        let (parent, name) = try place(path)
        // One call, so that its failure is that of making the directory.
        _ = try makeDirectory(parent, name, permissions: 0o700, by: Self.caller)
    }

    func move(_ path: String, to newPath: String) throws(VolumeFailure) {
        let ((parent, name), (newParent, newName)) = (try place(path), try place(newPath))
        try move(parent, name, to: newParent, newName, flags: 0)
        try synchronizeDirectory(parent)
        try synchronizeDirectory(newParent)
    }

    func link(_ path: String, to newPath: String) throws(VolumeFailure) {
        let (newParent, newName) = try place(newPath)
        _ = try link(number(path), newParent, newName)
        try synchronizeDirectory(newParent)
    }

    func remove(_ path: String) throws(VolumeFailure) {
        let (parent, name) = try place(path)
        try remove(parent, name)
        try synchronizeDirectory(parent)
    }

    func setClass(of path: String, _ protection: FileProtection) throws(VolumeFailure) {
        try setExtendedAttribute(
            number(path), Array("user.latchkey.protection".utf8), Array(protection.rawValue.utf8), flags: 0)
    }

    func setNote(of path: String, _ note: [UInt8]) throws(VolumeFailure) {
        try setExtendedAttribute(number(path), Array("user.note".utf8), note, flags: 0)
    }

    func makeLink(_ path: String, to target: [UInt8]) throws(VolumeFailure) {
        let (parent, name) = try place(path)
        _ = try makeLink(parent, name, to: target, by: Self.caller)
        try synchronizeDirectory(parent)
    }

    func removeDirectory(_ path: String) throws(VolumeFailure) {
        let (parent, name) = try place(path)
        try removeDirectory(parent, name)
        try synchronizeDirectory(parent)
    }

    func setPermissions(of path: String, _ permissions: UInt32) throws(VolumeFailure) {
        var changes = AttributeChanges()
        changes.permissions = permissions
        _ = try setAttributes(number(path), changes)
    }

    func setTime(of path: String, _ seconds: Int) throws(VolumeFailure) {
        var changes = AttributeChanges()
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        changes.times = FileTimes(access: time, change: time)
        _ = try setAttributes(number(path), changes)
    }

    /// The permissions of a file, and the second of its last change.
    func attributes(of path: String) throws(VolumeFailure) -> (permissions: UInt32, seconds: Int) {
        let status = try attributes(number(path)).status
        return (status.st_mode & 0o7777, status.st_mtim.tv_sec)
    }

    /// The content of every file that can be read; what fails is left out.
    func readableContents(_ folder: String = "", depth: Int = 0) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        guard depth < 20, let directory = folder.isEmpty ? Self.rootNumber : try? number(folder),
            let entries = try? entries(directory)
        else { return [:] }
        for entry in entries {
            let path = (folder.isEmpty ? "" : folder + "/") + String(decoding: entry.name.bytes, as: UTF8.self)
            if entry.type == UInt8(DT_DIR) {
                found.merge(readableContents(path, depth: depth + 1)) { one, _ in one }
            } else {
                found[path] = try? entry.type == UInt8(DT_LNK) ? target(ofLink: number(path)) : content(path)
            }
        }
        return found
    }

    /// Every file of the volume by its path, read to its end.
    ///
    /// - Parameter unreadable: the paths of files that are left out if they cannot be read.
    func contents(
        _ folder: String = "", except unreadable: Set<String> = []
    ) throws(VolumeFailure) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        let directory = folder.isEmpty ? Self.rootNumber : try number(folder)
        for entry in try entries(directory) {
            let path = (folder.isEmpty ? "" : folder + "/") + String(decoding: entry.name.bytes, as: UTF8.self)
            if entry.type == UInt8(DT_DIR) {
                found.merge(try contents(path, except: unreadable)) { one, _ in one }
                found[path + "/"] = []
            } else {
                do throws(VolumeFailure) {
                    found[path] = try entry.type == UInt8(DT_LNK) ? target(ofLink: number(path)) : content(path)
                } catch {
                    guard unreadable.contains(path) else { throw error }
                }
            }
        }
        return found
    }

    private func content(_ path: String) throws(VolumeFailure) -> [UInt8] {
        let number = try number(path)
        try open(number, flags: O_RDONLY)
        defer { release(number) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var failure: VolumeFailure?
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            do throws(VolumeFailure) {
                return try unsafe read(number, at: 0, into: buffer)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return Array(bytes[..<count])
    }
}
