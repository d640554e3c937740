internal import Glibc
internal import LatchkeyOpenFolders
internal import LatchkeySyncCore

/// The folder that the user named. It is opened anew for each call: it may be unmounted, removed and put back.
struct FolderPlace: Sendable {
    let path: String

    /// Opens the folder. Throws `.unreachable(.folderMissing)` if it is not there: it is never made.
    func open() throws(StoreFailure) -> OpenFolder {
        do throws(SystemCallFailure) {
            return try OpenFolder(opening: path)
        } catch {
            throw error.number == ENOTDIR ? .unreachable(.folderMissing) : StoreFailure(error)
        }
    }

    /// Opens folders in the folder, one in the other. Returns nil if one of them is missing.
    func open(_ folders: [String]) throws(StoreFailure) -> OpenFolder? {
        var folder = try open()
        for name in folders {
            guard let next = try folder.storeFolder(name) else { return nil }
            folder = next
        }
        return folder
    }
}

extension OpenFolder {
    /// Returns nil if there is none of that name.
    func storeFolder(_ name: String) throws(StoreFailure) -> OpenFolder? {
        do throws(SystemCallFailure) {
            return try folder(name)
        } catch {
            throw StoreFailure(error)
        }
    }
}
