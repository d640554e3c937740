import LatchkeyFileAccess
import Synchronization

@_implementationOnly import GRDBSQLite

/// The functions that SQLite calls on an open file, and the memory in which it keeps one: the address of the functions,
/// as in `sqlite3_file`, and a reference to a ``DatabaseFile``.
enum DatabaseMethods {
    static let fileByteCount = 2 * MemoryLayout<Int>.size
    private static let referenceOffset = MemoryLayout<Int>.size

    // Safe because it is written once, before SQLite sees it, and only read then.
    nonisolated(unsafe) private static let methods = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe methods.initialize(to: sqlite3_io_methods())
        // With shared memory, and without xFetch: pages are not mapped, they have to be decrypted.
        unsafe methods.pointee.iVersion = 2
        unsafe fillAccess(&methods.pointee)
        unsafe fillLocks(&methods.pointee)
        unsafe fillIndex(&methods.pointee)
        return unsafe UnsafePointer(methods)
    }()

    /// The file in SQLite's memory; nil for one of another file system.
    static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DatabaseFile? {
        guard let file = unsafe file, unsafe file.pointee.pMethods == methods else { return nil }
        let reference = unsafe UnsafeRawPointer(file).load(
            fromByteOffset: referenceOffset, as: Unmanaged<DatabaseFile>.self)
        return unsafe reference.takeUnretainedValue()
    }

    static func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file = unsafe file else { return SQLITE_MISUSE }
        // SQLite calls xClose if there are methods: only a file that is open has them.
        unsafe file.pointee.pMethods = nil
        do throws(DatabaseRefusal) {
            var flags = flags
            let opened = try unsafe DatabaseVFS.open(name, &flags)
            unsafe UnsafeMutableRawPointer(file).storeBytes(
                of: Unmanaged.passRetained(opened), toByteOffset: referenceOffset, as: Unmanaged<DatabaseFile>.self)
            unsafe file.pointee.pMethods = methods
            unsafe outFlags?.pointee = flags
            return SQLITE_OK
        } catch {
            return error.report(.open)
        }
    }

    /// Called before a file is removed.
    ///
    /// - Parameter stays: set if the file stays although the result is `SQLITE_OK`.
    static func prepareRemoval(of name: UnsafePointer<CChar>?, stays: inout Bool) -> Int32 {
        guard let name = unsafe name else { return SQLITE_OK }
        let path = unsafe DatabasePath(name)
        do throws(DatabaseRefusal) {
            let isKnown = try DatabaseVFS.refusing(path.text ?? "a file") { () throws(AccessFailure) in
                try SharedDatabase.prepareRemoval(of: path)
            }
            guard !isKnown, case .staysSilently(let reason) = try DatabaseVFS.removal(of: path) else {
                return SQLITE_OK
            }
            stays = true
            reason.note()
            return SQLITE_OK
        } catch {
            return error.report(.remove)
        }
    }

    /// Calls a file; its failures become result codes.
    private static func perform(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ deed: DatabaseRefusal.Deed,
        _ body: (DatabaseFile) throws(AccessFailure) -> Int32
    ) -> Int32 {
        guard let file = unsafe Self.file(file) else { return SQLITE_MISUSE }
        do throws(AccessFailure) {
            return try body(file)
        } catch {
            return DatabaseRefusal(error, path: file.path).report(deed)
        }
    }

    private static func fillAccess(_ methods: inout sqlite3_io_methods) {
        unsafe methods.xClose = { pointer in
            let outcome = unsafe DatabaseMethods.perform(pointer, .close) { file throws(AccessFailure) in
                try file.close()
                return SQLITE_OK
            }
            unsafe DatabaseMethods.release(pointer)
            return outcome
        }
        unsafe methods.xRead = { pointer, output, count, offset in
            unsafe DatabaseMethods.perform(pointer, .read) { file throws(AccessFailure) in
                let output = unsafe UnsafeMutableRawBufferPointer(start: output, count: Int(count))
                let found = try unsafe file.bytes.read(at: UInt64(offset), into: output)
                guard found < output.count else { return SQLITE_OK }
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[found...]).initializeMemory(
                    as: UInt8.self, repeating: 0)
                return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ
            }
        }
        unsafe methods.xWrite = { pointer, input, count, offset in
            unsafe DatabaseMethods.perform(pointer, .write) { file throws(AccessFailure) in
                try unsafe file.bytes.write(
                    at: UInt64(offset), from: UnsafeRawBufferPointer(start: input, count: Int(count)))
                return SQLITE_OK
            }
        }
        unsafe methods.xTruncate = { pointer, length in
            unsafe DatabaseMethods.perform(pointer, .truncate) { file throws(AccessFailure) in
                try file.bytes.truncate(to: UInt64(length))
                return SQLITE_OK
            }
        }
        unsafe methods.xSync = { pointer, _ in
            unsafe DatabaseMethods.perform(pointer, .synchronize) { file throws(AccessFailure) in
                try file.synchronize()
                return SQLITE_OK
            }
        }
        unsafe methods.xFileSize = { pointer, length in
            unsafe DatabaseMethods.perform(pointer, .size) { file throws(AccessFailure) in
                let found = try file.bytes.size()
                unsafe length?.pointee = Int64(found)
                return SQLITE_OK
            }
        }
        unsafe methods.xSectorSize = { _ in 4096 }
        // A write changes no byte beside it, and what is appended is there before the length is: blocks are never
        // overwritten, and take effect with a synchronization. Not SEQUENTIAL: files are synchronized one by one.
        unsafe methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND }
        unsafe methods.xFileControl = { pointer, operation, argument in
            guard let file = unsafe DatabaseMethods.file(pointer) else { return SQLITE_NOTFOUND }
            return unsafe DatabaseMethods.control(file, operation, argument)
        }
    }

    private static func release(_ pointer: UnsafeMutablePointer<sqlite3_file>?) {
        guard let pointer = unsafe pointer, unsafe pointer.pointee.pMethods == methods else { return }
        unsafe pointer.pointee.pMethods = nil
        unsafe UnsafeRawPointer(pointer).load(fromByteOffset: referenceOffset, as: Unmanaged<DatabaseFile>.self)
            .release()
    }

    private static func fillLocks(_ methods: inout sqlite3_io_methods) {
        unsafe methods.xLock = { pointer, level in
            unsafe DatabaseMethods.perform(pointer, .begin) { file throws(AccessFailure) in
                guard case .database(let database, let connection) = file.role,
                    let level = DatabaseLocks.Level(rawValue: level)
                else { return SQLITE_OK }
                if level == .shared { try file.expectUsable() }
                guard level <= .shared || !file.isReadOnly else { return SQLITE_READONLY }
                return database.raise(connection, to: level) ? SQLITE_OK : SQLITE_BUSY
            }
        }
        unsafe methods.xUnlock = { pointer, level in
            unsafe DatabaseMethods.perform(pointer, .write) { file throws(AccessFailure) in
                guard case .database(let database, let connection) = file.role,
                    let level = DatabaseLocks.Level(rawValue: level)
                else { return SQLITE_OK }
                try database.lower(connection, to: level)
                return SQLITE_OK
            }
        }
        unsafe methods.xCheckReservedLock = { pointer, result in
            unsafe DatabaseMethods.perform(pointer, .read) { file throws(AccessFailure) in
                guard case .database(let database, _) = file.role else { return SQLITE_OK }
                unsafe result?.pointee = database.isReserved ? 1 : 0
                return SQLITE_OK
            }
        }
    }

    private static func fillIndex(_ methods: inout sqlite3_io_methods) {
        unsafe methods.xShmMap = { pointer, number, byteCount, extends, output in
            unsafe output?.pointee = nil
            return unsafe DatabaseMethods.perform(pointer, .read) { file throws(AccessFailure) in
                guard case .database(let database, let connection) = file.role else { return SQLITE_IOERR }
                let region = unsafe database.region(
                    connection, Int(number), byteCount: Int(byteCount), extending: extends != 0)
                unsafe output?.pointee = unsafe region
                return SQLITE_OK
            }
        }
        unsafe methods.xShmLock = { pointer, offset, count, flags in
            unsafe DatabaseMethods.perform(pointer, .begin) { file throws(AccessFailure) in
                guard case .database(let database, let connection) = file.role, offset >= 0, count > 0,
                    Int(offset) + Int(count) <= WriteAheadIndex.lockCount
                else { return SQLITE_IOERR }
                return try DatabaseMethods.lockIndex(
                    file, database, connection, Int(offset)..<Int(offset) + Int(count), flags)
            }
        }
        unsafe methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
        unsafe methods.xShmUnmap = { pointer, _ in
            unsafe DatabaseMethods.perform(pointer, .close) { file throws(AccessFailure) in
                if case .database(let database, let connection) = file.role { database.leaveIndex(connection) }
                return SQLITE_OK
            }
        }
    }

    /// The locks of a log that stand for writing, for copying to the database, and for the first of those who read.
    private static let (writing, copying, reading) = (0, 1, 3)

    /// The work that a connection does under locks that it has alone; nil for none that writes.
    private static func work(under range: Range<Int>) -> SharedDatabase.Writing.Lock? {
        if range.contains(writing) { return .log }
        return range.contains(copying) ? .copying : nil
    }

    private static func lockIndex(
        _ file: DatabaseFile, _ database: SharedDatabase, _ connection: ConnectionNumber, _ range: Range<Int>,
        _ flags: Int32
    ) throws(AccessFailure) -> Int32 {
        let isAlone = flags & SQLITE_SHM_EXCLUSIVE != 0
        let work = isAlone ? work(under: range) : nil
        guard flags & SQLITE_SHM_LOCK != 0 else {
            defer { database.unlockIndex(connection, range) }
            if let work { try database.writeOutLog(connection, work) }
            return SQLITE_OK
        }
        // Every transaction begins with a lock for reading.
        if !isAlone, range.lowerBound >= reading { try file.expectUsable() }
        return database.lockIndex(connection, range, alone: isAlone, for: work) ? SQLITE_OK : SQLITE_BUSY
    }
}
