internal import Glibc
internal import LatchkeyOpenFolders
internal import LatchkeySyncCore

/// The writes of one call: each file is whole and durable before it has its name, and the names are made durable together.
final class FolderBatch {
    private let root: OpenFolder
    private let temporaries: FolderTemporaries
    private let temporary: OpenFolder
    private let permissions: (folder: UInt32, file: UInt32)
    private var open: [[String]: OpenFolder] = [:]
    /// Folders whose names are not durable yet.
    private var changed: [OpenFolder] = []

    /// The times that a file is moved again to a name that became free or taken meanwhile.
    private static let attempts = 4

    /// - Parameter path: of the circle; its folders are made.
    init(in place: FolderPlace, _ path: [String], _ temporaries: FolderTemporaries) throws(StoreFailure) {
        var folder = try place.open()
        var changed: [OpenFolder] = []
        do throws(SystemCallFailure) {
            // As open as the folder that the user chose: others may have to read.
            let mode = try folder.status().st_mode
            permissions = (folder: mode & 0o777 | 0o700, file: mode & 0o666 | 0o600)
            for name in path { folder = try Self.make(name, in: folder, permissions.folder, &changed) }
            root = folder
            for name in temporaries.path { folder = try Self.make(name, in: folder, permissions.folder, &changed) }
            temporary = folder
        } catch {
            throw StoreFailure(error)
        }
        self.temporaries = temporaries
        self.changed = changed
    }

    private static func make(
        _ name: String, in folder: OpenFolder, _ permissions: UInt32, _ changed: inout [OpenFolder]
    ) throws(SystemCallFailure) -> OpenFolder {
        let (made, isNew) = try folder.folder(making: name, permissions: permissions)
        if isNew { changed.append(folder) }
        return made
    }

    func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        for (name, bytes) in objects.sorted(by: { $0.key < $1.key }) {
            guard StoredForm.isWritable(bytes, as: name) else { throw .unsuitable(name) }
            let isCreated: Bool
            do throws(SystemCallFailure) {
                isCreated = try create(name, bytes)
            } catch {
                throw StoreFailure(error)
            }
            guard isCreated else { throw .taken(name) }
        }
    }

    /// Returns false if another object has the name.
    private func create(_ name: StoreObjectName, _ bytes: [UInt8]) throws(SystemCallFailure) -> Bool {
        let file = FolderLayout.file(of: name)
        for _ in 0..<Self.attempts {
            let folder = try folder(FolderLayout.folders(of: name))
            var isReplaced = false
            switch try folder.content(of: file, limit: name.byteLimit) {
            case .bytes(bytes):
                note(folder)
                return true
            case .bytes(let others) where StoredForm.isWhole(others, of: name): return false
            case .bytes, .unsuitable: isReplaced = true
            case .missing: break
            }
            do throws(SystemCallFailure) {
                if try write(bytes, as: file, in: folder, replacing: isReplaced) { return true }
            } catch {
                // The folder was removed because it was empty.
                guard error.number == ENOENT else { throw error }
                open[FolderLayout.folders(of: name)] = nil
            }
        }
        throw SystemCallFailure("renameat2", EEXIST)
    }

    /// Returns what is under a name; nil for nothing that could be an object.
    func bytes(of name: StoreObjectName) throws(StoreFailure) -> [UInt8]? {
        do throws(SystemCallFailure) {
            let folder = try folder(FolderLayout.folders(of: name))
            guard case .bytes(let found) = try folder.content(of: FolderLayout.file(of: name), limit: name.byteLimit)
            else { return nil }
            return found
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Replaces the head, unless the store has another one than the caller believes.
    func replace(
        _ name: StoreObjectName, with head: [UInt8], by replacement: HeadReplacement
    ) throws(StoreFailure) {
        guard StoredForm.isWhole(head, of: name) else { throw .unsuitable(name) }
        let isNeeded = try replacement.isNeeded(over: bytes(of: name))
        do throws(SystemCallFailure) {
            let folder = try folder(FolderLayout.folders(of: name))
            guard isNeeded else { return note(folder) }
            _ = try write(head, as: FolderLayout.file(of: name), in: folder, replacing: true)
        } catch {
            throw StoreFailure(error)
        }
    }

    /// Makes the names durable. Files of the next batch are written after that.
    func synchronize() throws(StoreFailure) {
        do throws(SystemCallFailure) {
            for folder in changed { try folder.synchronize() }
        } catch {
            throw StoreFailure(error)
        }
        changed = []
        temporaries.removeOld(in: temporary)
    }

    /// Returns false if the name is in use.
    private func write(
        _ bytes: [UInt8], as file: String, in folder: OpenFolder, replacing isReplaced: Bool
    ) throws(SystemCallFailure) -> Bool {
        let made = temporaries.newName()
        try temporary.makeFile(made, bytes, permissions: permissions.file)
        temporaries.note(try? temporary.mark(of: made))
        do throws(SystemCallFailure) {
            if isReplaced {
                try temporary.move(made, inPlaceOf: file, in: folder)
            } else if try !temporary.move(made, toNewName: file, in: folder) {
                _ = try? temporary.remove(made)
                return false
            }
        } catch {
            _ = try? temporary.remove(made)
            throw error
        }
        note(folder)
        return true
    }

    private func note(_ folder: OpenFolder) {
        if !changed.contains(where: { $0 === folder }) { changed.append(folder) }
    }

    private func folder(_ path: [String]) throws(SystemCallFailure) -> OpenFolder {
        if let known = open[path] { return known }
        var folder = root
        for name in path { folder = try Self.make(name, in: folder, permissions.folder, &changed) }
        open[path] = folder
        return folder
    }
}
