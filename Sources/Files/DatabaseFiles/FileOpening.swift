import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

/// The opening of one protected file for SQLite.
struct FileOpening {
    let path: String
    let vault: FileVault
    /// The class of a file that is made.
    let protection: FileProtection
    var permissions: UInt32 = 0o644
    var isWritable: Bool
    var makes: Bool
    /// The tie of a file that is made, given the file's identifier.
    var tie: (([UInt8]) -> FileTie)?
    /// The file must not be there yet.
    var isExclusive = false
    var expectation = FileExpectation.anyFile
    /// A file of zeros is taken for an empty one, whatever its length: the disk may have lost a journal's header, and a
    /// journal without one has nothing to say.
    var isJournal = false

    struct Outcome {
        let file: OpenFile
        let isNew: Bool
        let isWritable: Bool
    }

    func run() throws(AccessFailure) -> Outcome {
        for _ in 0..<Self.attempts {
            if isExclusive { return try make(isNew: true) }
            do throws(AccessFailure) {
                if let known = try open(forWriting: isWritable) { return known }
                // It is there, without content.
                return try make(isNew: false)
            } catch {
                switch error {
                case .system("open", ENOENT) where makes:
                    if let made = try makeUnlessThere() { return made }
                case .system("open", EACCES) where isWritable, .system("open", EROFS) where isWritable,
                    .system("open", EPERM) where isWritable:
                    // SQLite opens what it may not write for reading, and says so.
                    if let known = try open(forWriting: false) { return known }
                    throw error
                default: throw error
                }
            }
        }
        throw .inUse
    }

    /// Nil for a file that is to be made in place of an empty one.
    private func open(forWriting: Bool) throws(AccessFailure) -> Outcome? {
        switch try vault.openAny(path, forWriting: forWriting, expecting: expectation) {
        case .protected(let file): return Outcome(file: file, isNew: false, isWritable: forWriting)
        case .clear(let descriptor):
            guard forWriting, try isBlank(descriptor) else { throw .notProtected }
            return nil
        }
    }

    private func isBlank(_ descriptor: OwnedDescriptor) throws(AccessFailure) -> Bool {
        guard try descriptor.isBlank else { return false }
        if isJournal { return true }
        let status = try descriptor.status()
        return status.st_size <= Self.headerByteCount
    }

    private func makeUnlessThere() throws(AccessFailure) -> Outcome? {
        do throws(AccessFailure) {
            return try make(isNew: true)
        } catch {
            // Another connection made it meanwhile.
            if case .system("open", EEXIST) = error { return nil }
            throw error
        }
    }

    private func make(isNew: Bool) throws(AccessFailure) -> Outcome {
        var place = NewFilePlace(path: path, isNew: isNew, permissions: permissions, protection: protection)
        place.expectation = expectation
        place.tie = tie
        // Something else may stand there by now: then it is not new.
        let (file, isMade) = try vault.openedOrMade(place) { descriptor throws(AccessFailure) in try isBlank(descriptor)
        }
        return Outcome(file: file, isNew: isMade, isWritable: true)
    }

    private static let attempts = 8
    private static let headerByteCount = 8192
}
