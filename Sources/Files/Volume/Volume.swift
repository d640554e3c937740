import Glibc
package import LatchkeyCryptoSuite
package import LatchkeyFileAccess
package import LatchkeyKeybag
package import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

/// A folder of protected files: what a file system does, by the numbers that the kernel gives to nodes.
///
/// Each file is stored as a protected file, each directory as a directory, in the directory that stores the volume. Names,
/// targets of links and extended attributes are sealed. One process serves a volume at a time. Safe to call from many
/// threads.
package final class Volume: Sendable {
    package static let rootNumber: UInt64 = 1

    /// The reason why a volume was not made or opened.
    package enum OpeningFailure: Error, Sendable {
        case description(VolumeDescription.Failure)
        /// Another process serves the volume.
        case inUse
        /// There is something in the directory already.
        case notEmpty
        /// The file system has no extended attributes of users, or not in this directory.
        case noAttributes
        case access(AccessFailure)
        case system(Int32)
    }

    package let description: VolumeDescription
    let isReadOnly: Bool
    let vault: FileVault
    let seals: NameSeals
    let nodes = NodeTable()
    let closed = ClosedFiles()
    /// The latest name that was sealed: a program that makes a file has it looked up first.
    let latestName = Mutex<(directory: DirectoryIdentifier, name: EntryName, stored: StoredName)?>(nil)
    /// Held for reading by all that goes through names, for writing by what takes names away.
    let names = ReadWriteLock()
    let entropy: any Entropy
    /// The class that a program's entitlements name for what it makes; nil if they name none.
    let programProtection: @Sendable (VolumeCaller) -> FileProtection?
    /// Root gives what it makes to the program that asked.
    let isRoot = geteuid() == 0
    let storage: BackingDirectory
    /// Locked, so that no other process serves the volume.
    private let lock: OwnedDescriptor
    /// True while class keys are away: a file of class "complete unless open" that is closed then stays closed.
    private let isLocked = Mutex(false)
    /// A function that were itself the value of a `Mutex` would get one more wrapper at each look.
    private struct Listener {
        var forget: (@Sendable ([UInt64]) -> Void)?
    }

    private let whenLocked = Mutex(Listener())

    /// Opens the volume that a directory stores.
    package init(
        storedIn path: String, _ keychain: any Keychain, isReadOnly: Bool = false,
        entropy: any Entropy = SystemEntropy(),
        programProtection: @escaping @Sendable (VolumeCaller) -> FileProtection? = { _ in nil }
    ) throws(OpeningFailure) {
        self.programProtection = programProtection
        (storage, description) = try Self.stored(in: path)
        self.isReadOnly = isReadOnly
        self.entropy = entropy
        vault = FileVault.of(keychain)
        do throws(VolumeFailure) {
            let lock = try storage.open(VolumeDescription.fileName, isReadOnly ? O_RDONLY : O_RDWR)
            guard try Self.lifted({ () throws(AccessFailure) in try lock.tryLock(alone: !isReadOnly) }) else {
                throw VolumeFailure(EBUSY)
            }
            self.lock = lock
        } catch {
            throw error.number == EBUSY ? .inUse : .system(error.number)
        }
        let key: SecretBox
        do throws(AccessFailure) {
            key = try vault.openKey(description.wrappedKey, of: .none, for: description.identifier)
        } catch {
            throw .access(error)
        }
        seals = NameSeals(key: key, entropy: entropy)
        do throws(VolumeFailure) {
            let content = try storage.directory(VolumeDescription.contentName)
            nodes.insertRoot(try Self.root(content, description))
        } catch {
            throw .system(error.number)
        }
    }

    private static func root(
        _ backing: BackingDirectory, _ description: VolumeDescription
    ) throws(VolumeFailure) -> VolumeNode {
        let status = try backing.status()
        guard let identifier = DirectoryIdentifier(description.identifier.bytes) else { throw VolumeFailure(EIO) }
        var state = VolumeNode.State(lookups: 1)
        state.permissions = try Permissions.kept(status.st_mode, .directory, backing.descriptor)
        state.protection = try protection(of: backing.descriptor)
        state.handsGroupOn = status.st_mode & UInt32(S_ISGID) != 0
        return VolumeNode(
            number: rootNumber, FileIdentity(status), .directory,
            directory: VolumeNode.OpenDirectory(backing: backing, identifier: identifier), state)
    }

    /// Returns the description of the volume that a directory stores.
    package static func description(storedIn path: String) throws(OpeningFailure) -> VolumeDescription {
        try stored(in: path).description
    }

    private static func stored(
        in path: String
    ) throws(OpeningFailure) -> (storage: BackingDirectory, description: VolumeDescription) {
        let storage: BackingDirectory
        do throws(VolumeFailure) {
            storage = try BackingDirectory(path: path)
        } catch {
            throw .system(error.number)
        }
        do throws(VolumeDescription.Failure) {
            return (storage, try VolumeDescription.read(from: storage))
        } catch {
            throw .description(error)
        }
    }

    /// True if a process serves the volume that a directory stores.
    package static func isServed(storedIn path: String) -> Bool {
        let file = try? BackingDirectory(path: path).open(VolumeDescription.fileName, O_RDONLY)
        guard let file, let isFree = try? file.tryLock(alone: false) else { return false }
        return !isFree
    }

    /// Makes a volume in an empty directory. Everything in it is durable when this returns.
    package static func create(
        in path: String, _ keychain: any Keychain, defaultProtection: FileProtection
    ) throws(OpeningFailure) {
        let key: NewFileKey
        do throws(AccessFailure) {
            key = try FileVault.of(keychain).singleKey(.none)
        } catch {
            throw .access(error)
        }
        do throws(VolumeFailure) {
            let storage = try BackingDirectory(path: path)
            guard try storage.entries().isEmpty else { throw VolumeFailure(ENOTEMPTY) }
            try storage.descriptor.setAttribute(DirectoryProtection.attribute, Array(defaultProtection.rawValue.utf8))
            let description = VolumeDescription(
                identifier: key.identifier, defaultProtection: defaultProtection, wrappedKey: key.wrapped)
            try storage.makeDirectory(VolumeDescription.contentName, permissions: 0o700)
            // Last: without it there is no volume.
            let name = StoredName.unfinished(SystemEntropy())
            try storage.write(description.encoded(), to: name)
            try storage.synchronize(name)
            try storage.move(name, to: storage, VolumeDescription.fileName)
            try storage.synchronize()
        } catch {
            switch error.number {
            case ENOTEMPTY: throw .notEmpty
            case EOPNOTSUPP: throw .noAttributes
            default: throw .system(error.number)
            }
        }
    }

    /// Follows the lock of the device from now on.
    ///
    /// - Parameter forget: called with the numbers of files whose content the kernel must forget.
    package func follow(_ forget: @escaping @Sendable ([UInt64]) -> Void) {
        whenLocked.withLock { $0.forget = forget }
        vault.whenStateChanges { [weak self] state, moment in
            switch moment {
            case .before: self?.prepare(for: state)
            case .after: self?.follow(state)
            }
        }
    }

    /// Keeps the content of a file without handles open for a while, unless its next opening has to ask the device.
    func keep(_ node: VolumeNode) {
        if let oldest = closed.add(node) { letGo(oldest) }
        // Asked after the file was added: a lock that comes now finds it.
        guard node.protection == .completeUnlessOpen, isLocked.withLock({ $0 }) else { return }
        closed.remove(node)
        letGo(node)
    }

    /// Does a little of what no program waits for: closes a file that is no longer needed, and prepares the next new one.
    ///
    /// - Returns: true if there may be more to do.
    @discardableResult
    package func tidy() -> Bool {
        if !isReadOnly { vault.prepareNewFile() }
        guard let oldest = closed.takeSurplus() else { return false }
        letGo(oldest)
        return true
    }

    private func follow(_ state: ProtectedDataState) {
        isLocked.withLock { $0 = state == .unavailable || state == .beforeFirstUnlock }
        guard state != .available else { return }
        // An open file of class "complete unless open" stays usable; one that was closed does not.
        if state != .becomingUnavailable { for node in closed.removeAll() { letGo(node) } }
        forgetContent(state)
    }

    /// The keys of open files are still here: the kernel writes out what programs changed in mapped memory. A grace period
    /// has done it before; without one this is the only time.
    private func prepare(for state: ProtectedDataState) {
        guard state == .unavailable || state == .beforeFirstUnlock else { return }
        forgetContent(state)
    }

    /// Has the kernel forget the content that this state takes away. It writes changes out first.
    private func forgetContent(_ state: ProtectedDataState) {
        let affected = nodes.all.filter { node in
            node.kind == .file && (node.protection == .complete || state == .beforeFirstUnlock)
        }
        whenLocked.withLock { $0 }.forget?(affected.map(\.number))
    }

    /// The numbers of all files that the kernel knows.
    package var fileNumbers: [UInt64] { nodes.all.filter { $0.kind == .file }.map(\.number) }

    /// Writes everything out and makes it durable: for the end of a mount.
    package func close() {
        for node in closed.removeAll() { letGo(node) }
        for node in nodes.all {
            node.content.withLock { state in
                guard let content = state.content else { return }
                try? content.file.synchronize()
                restoreTimes(node, content)
                state.content = nil
            }
        }
        // Files that no program has open were written out when they were closed, and not synchronized.
        if !isReadOnly { try? storage.synchronizeAll() }
    }

    func node(_ number: UInt64) throws(VolumeFailure) -> VolumeNode {
        guard let node = nodes.node(number) else { throw VolumeFailure(ESTALE) }
        return node
    }

    /// A directory with what is open of it.
    func directory(_ number: UInt64) throws(VolumeFailure) -> (node: VolumeNode, open: VolumeNode.OpenDirectory) {
        let node = try node(number)
        guard let open = node.directory else { throw VolumeFailure(ENOTDIR) }
        return (node, open)
    }

    func checkWritable() throws(VolumeFailure) {
        guard !isReadOnly else { throw VolumeFailure(EROFS) }
    }

    /// The class in the attribute of a stored directory.
    static func protection(of descriptor: OwnedDescriptor) throws(VolumeFailure) -> FileProtection? {
        guard let value = try descriptor.attribute(DirectoryProtection.attribute) else { return nil }
        return FileProtection(rawValue: String(decoding: value, as: UTF8.self))
    }

    /// Carries the failures of open files over.
    func lifted<Value>(_ body: () throws(AccessFailure) -> Value) throws(VolumeFailure) -> Value {
        try Self.lifted(body)
    }

    private static func lifted<Value>(_ body: () throws(AccessFailure) -> Value) throws(VolumeFailure) -> Value {
        do throws(AccessFailure) {
            return try body()
        } catch {
            throw VolumeFailure(error)
        }
    }
}
