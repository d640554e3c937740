import LatchkeyFileFormat
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// The content of an open file, whose key goes when the device locks.
///
/// The thread that follows the device holds this and not the ``OpenFile``: however long it takes to tell of a state, a
/// file is closed when its last handle is released. Otherwise a file that a program has closed would sometimes still be
/// open for it, and what was written would reach the disk later.
final class FollowedContent: @unchecked Sendable {
    // Sendable because every variable is used under `lock` alone.
    private let lock = ForkMutex(())
    /// Nil while the device does not give out the key, and after an operation left the state on disk unknown.
    var file: ProtectedFile? {
        didSet { file?.isLog = isLog }
    }
    /// True for a log (``ProtectedFile/isLog``).
    var isLog = false {
        didSet { file?.isLog = isLog }
    }
    var protection: FileProtection
    var hasChanges = false
    /// The number of times that changes were lost before they were on disk.
    private(set) var losses: UInt64 = 0
    /// A failure to write out what was in memory when the device locked: the next operation that writes throws it.
    private var missedFailure: AccessFailure?
    /// The process that opened the file: a forked child has neither its keys nor a lock of its own. Every operation
    /// refuses there, before it takes a lock that a thread of the parent may have held.
    private let process = ProcessMark.current

    init(_ file: ProtectedFile, _ protection: FileProtection) {
        self.file = file
        self.protection = protection
    }

    /// True in the process that opened the file.
    var isOfThisProcess: Bool { process == .current }

    /// Calls `body` alone, in any process: for what needs neither key nor content.
    func withLock<Value: Sendable, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try lock.withLock { _ throws(Failure) in try body() }
    }

    /// Calls `body` alone; refuses in a child of the process that opened the file.
    func locked<Value: Sendable>(_ body: () throws(AccessFailure) -> Value) throws(AccessFailure) -> Value {
        guard isOfThisProcess else { throw .refused(.ofParent) }
        return try withLock(body)
    }

    /// Throws a failure that no caller was told of yet. To be called under the lock.
    func reportMissedFailure() throws(AccessFailure) {
        guard let failure = missedFailure else { return }
        missedFailure = nil
        throw failure
    }

    /// Gives up a content whose state on disk is unknown: the next operation opens the file again, and finds what is on
    /// disk. To be called under the lock.
    func abandon() {
        file = nil
        if hasChanges { losses += 1 }
        hasChanges = false
    }

    /// Follows the device into this state.
    func follow(_ state: ProtectedDataState) {
        guard isOfThisProcess else { return }
        withLock {
            switch state {
            case .available: break
            case .becomingUnavailable:
                // A failure is reported when the keys go: until then the disk may have room again.
                if protection.isClosed(in: .unavailable), hasChanges { try? file?.synchronize(.data) }
            case .unavailable, .beforeFirstUnlock:
                guard protection.isClosed(in: state) else { return }
                saveChanges()
                file?.close()
                file = nil
            }
        }
    }

    private func saveChanges() {
        guard hasChanges, let file else { return }
        hasChanges = false
        do throws(FileFailure) {
            try file.synchronize(.data)
        } catch {
            missedFailure = .file(error)
            losses += 1
        }
    }

    /// Ends the use of the key, after the last handle. A file system also writes changes out when a file is closed.
    func close() {
        withLock {
            if hasChanges { try? file?.flush() }
            file?.close()
            file = nil
            hasChanges = false
        }
    }
}

extension FileProtection {
    /// True if open files of this class are closed in a state of the device. Those of class "complete unless open" stay
    /// usable while they are open.
    fileprivate func isClosed(in state: ProtectedDataState) -> Bool {
        switch self {
        case .none, .completeUnlessOpen: false
        case .complete: state == .unavailable || state == .beforeFirstUnlock
        case .completeUntilFirstUserAuthentication: state == .beforeFirstUnlock
        }
    }
}
