import Glibc
package import LatchkeyFileAccess
import LatchkeyThreading

@_implementationOnly import GRDBSQLite

/// The file system of SQLite whose files follow the lock state of the device.
///
/// A database that is opened with `vfs=latchkey` is a protected file, and so are its journals. Names, times and random numbers
/// are left to the file system that was SQLite's default when this one was registered.
package enum DatabaseVFS {
    package static let name = "latchkey"

    private struct State {
        var currentVault: (@Sendable () throws(AccessFailure) -> FileVault)?
        var isRegistered = false
    }

    private static let state = ForkMutex(State())

    /// Adds the file system to SQLite's list, once for the process.
    ///
    /// - Parameter currentVault: the device of the calling program; called when a database is opened.
    /// - Returns: a result code of SQLite.
    package static func register(_ currentVault: @escaping @Sendable () throws(AccessFailure) -> FileVault) -> Int32 {
        state.withLock { state in
            state.currentVault = currentVault
            guard !state.isRegistered else { return SQLITE_OK }
            guard let base = unsafe sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
            let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
            unsafe vfs.initialize(to: sqlite3_vfs())
            unsafe fill(&vfs.pointee, above: base)
            let outcome = unsafe sqlite3_vfs_register(vfs, 0)
            state.isRegistered = outcome == SQLITE_OK
            return outcome
        }
    }

    static func currentVault() throws(AccessFailure) -> FileVault {
        guard let find = state.withLock({ $0.currentVault }) else { throw .notProtected }
        return try find()
    }

    private static func fill(_ vfs: inout sqlite3_vfs, above base: UnsafeMutablePointer<sqlite3_vfs>) {
        unsafe vfs.iVersion = 2
        unsafe vfs.szOsFile = Int32(DatabaseMethods.fileByteCount)
        unsafe vfs.mxPathname = base.pointee.mxPathname
        // SQLite keeps the name, and the file system is registered until the process ends.
        unsafe vfs.zName = UnsafePointer(strdup(name))
        unsafe vfs.pAppData = UnsafeMutableRawPointer(base)
        unsafe vfs.xOpen = { _, name, file, flags, outFlags in
            unsafe DatabaseMethods.open(name, file, flags, outFlags)
        }
        unsafe vfs.xDelete = { vfs, name, isSynchronized in
            let base = unsafe DatabaseVFS.base(vfs)
            var stays = false
            let outcome = unsafe DatabaseMethods.prepareRemoval(of: name, stays: &stays)
            guard outcome == SQLITE_OK, !stays else { return outcome }
            return unsafe base.pointee.xDelete(base, name, isSynchronized)
        }
        unsafe vfs.xAccess = { vfs, name, flags, result in
            let base = unsafe DatabaseVFS.base(vfs)
            guard flags == SQLITE_ACCESS_EXISTS, let name = unsafe name, let result = unsafe result else {
                return unsafe base.pointee.xAccess(base, name, flags, result)
            }
            let path = unsafe DatabasePath(name)
            unsafe result.pointee = 0
            guard !AbsentJournals.contains(path) else { return SQLITE_OK }
            let moment = AbsentJournals.now
            let outcome = unsafe base.pointee.xAccess(base, name, flags, result)
            guard outcome == SQLITE_OK else { return outcome }
            if unsafe result.pointee == 0 {
                AbsentJournals.note(path, asOf: moment)
            } else if SharedDatabase.knowsEmptyJournal(path) {
                unsafe result.pointee = 0
            }
            return SQLITE_OK
        }
        unsafe vfs.xFullPathname = { vfs, name, count, output in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xFullPathname(base, name, count, output)
        }
        unsafe fillSystem(&vfs)
    }

    /// Sets the functions that have nothing to do with files.
    private static func fillSystem(_ vfs: inout sqlite3_vfs) {
        unsafe vfs.xDlOpen = { vfs, name in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xDlOpen?(base, name)
        }
        unsafe vfs.xDlError = { vfs, count, message in
            let base = unsafe DatabaseVFS.base(vfs)
            unsafe base.pointee.xDlError?(base, count, message)
        }
        unsafe vfs.xDlSym = { vfs, library, symbol in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xDlSym?(base, library, symbol)
        }
        unsafe vfs.xDlClose = { vfs, library in
            let base = unsafe DatabaseVFS.base(vfs)
            unsafe base.pointee.xDlClose?(base, library)
        }
        unsafe vfs.xRandomness = { vfs, count, output in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xRandomness(base, count, output)
        }
        unsafe vfs.xSleep = { vfs, microseconds in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xSleep(base, microseconds)
        }
        unsafe vfs.xCurrentTime = { vfs, days in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xCurrentTime(base, days)
        }
        unsafe vfs.xCurrentTimeInt64 = { vfs, milliseconds in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xCurrentTimeInt64(base, milliseconds)
        }
        unsafe vfs.xGetLastError = { vfs, count, message in
            let base = unsafe DatabaseVFS.base(vfs)
            return unsafe base.pointee.xGetLastError(base, count, message)
        }
    }

    private static func base(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs> {
        guard let base = unsafe vfs?.pointee.pAppData else {
            preconditionFailure("SQLite calls a file system with the structure that was registered")
        }
        return unsafe base.assumingMemoryBound(to: sqlite3_vfs.self)
    }
}
