import Glibc
package import LatchkeyFileFormat
package import LatchkeyKeybag
package import LatchkeyKeychainMessages
package import LatchkeySecretMemory
import LatchkeyThreading

/// The protected files that this process has open on one device.
///
/// There is one vault for a device while files are open, so that all handles on a file share its state, and one watch
/// closes all files when the device locks. Safe to call from many threads.
///
/// In a child of `fork` a vault has no open files, no keys and no watch: the parent's watch has no thread there. Files that
/// the parent opened refuse (``OpenFile``).
package final class FileVault: Sendable {
    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak var object: Object?
    }

    /// A file that is open as long as its handles are. The watch gets its content alone.
    private struct Entry {
        weak var file: OpenFile?
        let content: FollowedContent
    }

    private struct State {
        var files: [FileIdentity: Entry] = [:]
        /// The watch that follows the device while files are open.
        var watch: (any ProtectedDataWatch)?
        /// The number of that watch: one that has ended does nothing to its successor.
        var watchNumber = 0
        /// The last state that the watch reported.
        var last: ProtectedDataState = .available
        /// Called with each state, before and after the open files follow it.
        var follower: Follower?

        mutating func forgetWatch() {
            watch = nil
            watchNumber += 1
            last = .available
        }

        /// Everything that follows the device now.
        var followers: Followers { Followers(contents: files.values.map(\.content), other: follower) }
    }

    /// Open files, and who is told after them.
    private struct Followers {
        let contents: [FollowedContent]
        let other: Follower?

        func follow(_ state: ProtectedDataState) {
            other?(state, .before)
            for content in contents { content.follow(state) }
            other?(state, .after)
        }
    }

    /// The two moments at which a state of the device is told: while files that it closes are still open, and then.
    package enum Moment: Sendable { case before, after }

    package typealias Follower = @Sendable (ProtectedDataState, Moment) -> Void

    /// A file that was opened.
    package enum Opened {
        case protected(OpenFile)
        /// A file in clear. If it was opened for writing, its descriptor is locked.
        case clear(OwnedDescriptor)
    }

    let keys: DeviceKeys
    private let keychain: any Keychain
    private let state = ProcessMutex(State())
    private let opening = ProcessMutex(())
    private let newKeys = NewFileKeys()

    private static let vaults = ProcessMutex<[ObjectIdentifier: Weak<FileVault>]>([:])

    private init(_ keychain: any Keychain) {
        self.keychain = keychain
        keys = DeviceKeys(keychain)
    }

    /// The vault of a keychain's device.
    package static func of(_ keychain: any Keychain) -> FileVault {
        vaults.withLock { vaults in
            // A vault that lives keeps its keychain alive, so its identity is of no other one.
            if let known = vaults[keychain.identity]?.object { return known }
            vaults = vaults.filter { $0.value.object != nil }
            let made = FileVault(keychain)
            vaults[keychain.identity] = Weak(object: made)
            return made
        }
    }

    /// The files that this process has open on a keychain's device.
    package static func openFiles(on keychain: any Keychain) -> [OpenFile] {
        let vault = vaults.withLock { $0[keychain.identity]?.object }
        return vault.map { vault in vault.state.withLock { $0.files.values.compactMap(\.file) } } ?? []
    }

    /// The keychain itself, if it wants to hear how files are used.
    var listener: (any FileUseListener)? { keychain as? any FileUseListener }

    /// Opens a protected file.
    ///
    /// - Parameter forWriting: without it, other processes can read the file at the same time. A file that is already open
    ///   here for reading is taken for writing.
    /// - Throws: ``AccessFailure/notProtected`` for a file in clear.
    package func open(_ path: String, forWriting: Bool) throws(AccessFailure) -> OpenFile {
        switch try openAny(path, forWriting: forWriting) {
        case .protected(let file): return file
        case .clear: throw .notProtected
        }
    }

    /// Opens a file, protected or in clear. One in clear needs no lock to be read.
    ///
    /// - Parameter expectation: refuses what another user may have put in the file's place.
    package func openAny(
        _ path: String, forWriting: Bool, expecting expectation: FileExpectation = .anyFile
    ) throws(AccessFailure) -> Opened {
        let descriptor = try OwnedDescriptor(
            opening: path, (forWriting ? O_RDWR : O_RDONLY) | expectation.openingFlags)
        try expectation.check(descriptor)
        let isClear = try !descriptor.isProtected
        if isClear, !forWriting { return .clear(descriptor) }
        let identity = try descriptor.identity()
        // One after the other: a second opening of a file must find the first, and not its lock.
        return try opening.withLock { _ throws(AccessFailure) in
            // Another thread may have made it a protected one, and has its lock.
            let known = state.withLock { $0.files[identity]?.file }
            if isClear, known == nil {
                try descriptor.lock(alone: true)
                // Another process may have made it a protected one before the lock.
                if try !descriptor.isProtected { return .clear(descriptor) }
            }
            return .protected(try open(descriptor, identity, forWriting: forWriting))
        }
    }

    /// Opens a protected file under a descriptor of the caller.
    package func open(_ descriptor: OwnedDescriptor, forWriting: Bool) throws(AccessFailure) -> OpenFile {
        let identity = try descriptor.identity()
        return try opening.withLock { _ throws(AccessFailure) in
            try open(descriptor, identity, forWriting: forWriting)
        }
    }

    /// Makes a protected file in an empty file that the caller alone knows.
    ///
    /// - Parameter tie: the database that it belongs to, if any.
    package func make(
        _ key: NewFileKey, in descriptor: OwnedDescriptor, tie: FileTie? = nil
    ) throws(AccessFailure) -> OpenFile {
        try descriptor.lock(alone: true)
        return keep(try OpenFile(making: key, in: descriptor, try descriptor.identity(), tie: tie, in: self))
    }

    /// Returns a key for a new file. Many are made at once, for a program that makes many files.
    package func newKey(_ protection: FileProtection) throws(AccessFailure) -> NewFileKey {
        // Without a watch, the others would not be forgotten at a lock.
        beginWatching()
        return try newKeys.take(protection, from: keys)
    }

    /// Prepares what the next new file needs before its place is known: for a moment at which no program waits.
    package func prepareNewFile() {
        newKeys.prepareNext()
    }

    /// Returns a key for one new file, or for something else that is stored beside files.
    package func singleKey(_ protection: FileProtection) throws(AccessFailure) -> NewFileKey {
        try keys.make(protection)
    }

    /// Opens a key that is stored beside files.
    package func openKey(
        _ wrapped: [UInt8], of protection: FileProtection, for identifier: FileIdentifier
    ) throws(AccessFailure) -> SecretBox {
        try keys.open(wrapped, of: protection, for: identifier.bytes)
    }

    /// Has every state of the device told, before and after the files that are open follow it, from now on. One at a time.
    ///
    /// The watch then goes on while no file is open. After a device that is gone has been told as unavailable, the next
    /// opening or new key begins another one.
    package func whenStateChanges(_ follower: @escaping Follower) {
        state.withLock { $0.follower = follower }
        beginWatching()
    }

    private func open(
        _ descriptor: OwnedDescriptor, _ identity: FileIdentity, forWriting: Bool
    ) throws(AccessFailure) -> OpenFile {
        if let known = state.withLock({ $0.files[identity]?.file }) {
            if forWriting { try known.allowWriting(descriptor) }
            return known
        }
        try descriptor.lock(alone: forWriting)
        return keep(try OpenFile(descriptor, identity, forWriting ? .readWrite : .readOnly, in: self))
    }

    /// Gives a file a class and cuts off what is in it, protected or not. A file that is not there is made, and removed
    /// again if the device refuses a key. Handles that are open here stay on the file.
    ///
    /// - Parameter isNew: the file must not be there yet.
    package func emptied(
        _ path: String, isNew: Bool = false, permissions: UInt32, _ protection: FileProtection
    ) throws(AccessFailure) -> OpenFile {
        let place = NewFilePlace(path: path, isNew: isNew, permissions: permissions, protection: protection)
        let (file, isMade) = try openedOrMade(place) { _ in true }
        if !isMade { try file.empty(protection) }
        return file
    }

    /// Makes a protected file in the place of a blank one, or where there is none. One that is protected is opened and
    /// keeps its class and content: another opener may have made it since the caller looked.
    ///
    /// - Parameter isBlank: tells of a file in clear, which is locked, whether it may be emptied; one that may not is
    ///   refused with ``AccessFailure/notProtected``.
    /// - Returns: the file, and whether it was made here: one that was not may have any content.
    package func openedOrMade(
        _ place: NewFilePlace, inPlaceOf isBlank: (OwnedDescriptor) throws(AccessFailure) -> Bool
    ) throws(AccessFailure) -> (file: OpenFile, isMade: Bool) {
        if let made = try OwnedDescriptor(making: place.path, permissions: place.permissions) {
            do throws(AccessFailure) {
                return try opened(made, place, inPlaceOf: isBlank)
            } catch .inUse {
                throw .inUse
            } catch {
                made.removeIfEmpty(place.path)
                throw error
            }
        }
        guard !place.isNew else { throw .system(call: "open", errno: EEXIST) }
        let descriptor = try OwnedDescriptor(opening: place.path, O_RDWR | place.expectation.openingFlags)
        try place.expectation.check(descriptor)
        return try opened(descriptor, place, inPlaceOf: isBlank)
    }

    private func opened(
        _ descriptor: OwnedDescriptor, _ place: NewFilePlace,
        inPlaceOf isBlank: (OwnedDescriptor) throws(AccessFailure) -> Bool
    ) throws(AccessFailure) -> (file: OpenFile, isMade: Bool) {
        let identity = try descriptor.identity()
        return try opening.withLock { _ throws(AccessFailure) in
            if let known = state.withLock({ $0.files[identity]?.file }) {
                try known.allowWriting(descriptor)
                return (known, false)
            }
            try descriptor.lock(alone: true)
            // A protected file keeps its content until the new one is on disk, and a locked one is not destroyed.
            guard try !descriptor.isProtected else {
                return (keep(try OpenFile(descriptor, identity, .readWrite, in: self)), false)
            }
            guard try isBlank(descriptor) else { throw .notProtected }
            // If the device refuses a key, nothing has changed.
            let key = try keys.make(place.protection)
            try descriptor.empty()
            let tie = place.tie.map { $0(key.identifier.bytes) }
            return (keep(try OpenFile(making: key, in: descriptor, identity, tie: tie, in: self)), true)
        }
    }

    /// Puts a file among the open ones. If another thread has opened it meanwhile, that one is used.
    private func keep(_ file: OpenFile) -> OpenFile {
        let (kept, last) = state.withLock { state in
            if let known = state.files[file.identity]?.file { return (known, state.last) }
            state.files[file.identity] = Entry(file: file, content: file.content)
            return (file, state.last)
        }
        // The key may have been given out just before a lock that the file was not told of.
        kept.content.follow(last)
        return kept
    }

    /// Follows the device from now on, if it does not yet.
    func beginWatching() {
        let begun = state.withLock { state -> (watch: any ProtectedDataWatch, number: Int)? in
            guard state.watch == nil else { return nil }
            let made = keychain.watchProtectedData()
            state.forgetWatch()
            state.watch = made
            return (made, state.watchNumber)
        }
        guard let (watch, number) = begun else { return }
        let isStarted = DetachedThread.start { [weak self] in
            while let now = watch.next() {
                guard let self else { return watch.end() }
                follow(now, number)
            }
            self?.watchEnded(number)
        }
        if !isStarted { watchEnded(number) }
    }

    private func follow(_ now: ProtectedDataState, _ number: Int) {
        if now != .available { newKeys.forget() }
        let followers = state.withLock { state -> Followers? in
            guard state.watchNumber == number else { return nil }
            state.last = now
            return state.followers
        }
        followers?.follow(now)
    }

    /// The device is gone, and its state unknown: the files are closed as if it had locked. The watch is forgotten first,
    /// so that a file that is opened again meanwhile begins another.
    private func watchEnded(_ number: Int) {
        let followers = state.withLock { state -> Followers? in
            guard state.watchNumber == number else { return nil }
            state.forgetWatch()
            return state.followers
        }
        newKeys.forget()
        followers?.follow(.unavailable)
    }

    /// Called when the last handle of a file is released.
    func forgetClosed(_ identity: FileIdentity) {
        let (watch, successor) = state.withLock { state -> ((any ProtectedDataWatch)?, OpenFile?) in
            // Another opening may have taken the place.
            let successor = state.files[identity]?.file
            if successor == nil { state.files[identity] = nil }
            guard state.files.isEmpty, state.follower == nil else { return (nil, successor) }
            defer { state.forgetWatch() }
            return (state.watch, nil)
        }
        // Released only after the lock: the last release of a file comes back here.
        withExtendedLifetime(successor) {}
        guard let watch else { return }
        newKeys.forget()
        watch.end()
    }
}
