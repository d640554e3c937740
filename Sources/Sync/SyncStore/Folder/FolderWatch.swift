internal import Glibc
internal import LatchkeyOpenFolders
internal import LatchkeySyncCore
internal import LatchkeyThreading
internal import Synchronization

/// Notices that other devices changed heads, statements or requests: by inotify, and by comparing what the folders show with what they
/// showed the last time.
final class FolderWatch: Sendable {
    private struct State {
        /// Negative where inotify is not available.
        var descriptor: Int32 = -1
        var watched: Set<Int32> = []
        /// Nil before the first look.
        var seen: Int?
    }

    /// The head of this device, whose changes are not reported.
    private let own: StoreObjectName
    private let state = Mutex(State())

    private static let watchedPrefixes = [ObjectPrefix.heads, .statements, .exchanges]
    private static let entryLimit = 4_096
    private static let events =
        UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONLYDIR)
    /// A program that fills the folder with other files wakes this one no more often.
    private static let pauseSeconds = 1.0

    init(own: StoreObjectName, options: FolderOptions) {
        self.own = own
        guard options.usesInotify else { return }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        state.withLock { $0.descriptor = descriptor }
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Compares the folders with the last look, and watches those that are there.
    ///
    /// - Parameter root: the folder of the circle; nil if it is missing.
    /// - Returns: true if something changed, and at the first look.
    func look(at root: OpenFolder?) throws(StoreFailure) -> Bool {
        var folders: [OpenFolder] = []
        var seen = 0
        do throws(SystemCallFailure) {
            if let root {
                folders.append(root)
                for prefix in Self.watchedPrefixes {
                    guard let folder = try root.folder(prefix.folderName) else { continue }
                    folders.append(folder)
                    // Watched before it is looked at: a change in between is noticed twice, and not missed.
                    watch(folder)
                    seen &+= try look(prefix, folder, group: nil, &folders)
                }
            }
        } catch {
            throw StoreFailure(error)
        }
        return state.withLock { state in
            follow(folders, &state)
            defer { state.seen = seen }
            return state.seen != seen
        }
    }

    private func look(
        _ prefix: ObjectPrefix, _ folder: OpenFolder, group: String?, _ folders: inout [OpenFolder]
    ) throws(SystemCallFailure) -> Int {
        var seen = 0
        for entry in try folder.entries(limit: Self.entryLimit).entries {
            if entry.kind == .folder, group == nil, let digits = FolderLayout.groupDigits(of: prefix),
                FixedHexadecimal.number(entry.name, digits: digits) != nil
            {
                guard let inner = try? folder.folder(entry.name) else { continue }
                folders.append(inner)
                watch(inner)
                seen &+= try look(prefix, inner, group: entry.name, &folders)
                continue
            }
            guard entry.kind == .file, let name = FolderLayout.name(of: entry.name, group: group, prefix: prefix),
                name != own
            else { continue }
            var hasher = Hasher()
            hasher.combine(name)
            if prefix == .heads { hasher.combine(try folder.mark(of: entry.name)) }
            // The order of the entries does not matter.
            seen &+= hasher.finalize()
        }
        return seen
    }

    private func watch(_ folder: OpenFolder) {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            let watch = unsafe inotify_add_watch(state.descriptor, folder.ownPath, Self.events)
            if watch >= 0 { state.watched.insert(watch) }
        }
    }

    /// Ends the watches of folders that are not there any more.
    private func follow(_ folders: [OpenFolder], _ state: inout State) {
        guard state.descriptor >= 0 else { return }
        var current: Set<Int32> = []
        for folder in folders {
            let watch = unsafe inotify_add_watch(state.descriptor, folder.ownPath, Self.events)
            if watch >= 0 { current.insert(watch) }
        }
        for watch in state.watched.subtracting(current) { inotify_rm_watch(state.descriptor, watch) }
        state.watched = current
    }

    /// Waits for an event, the end, or for so many seconds. Returns true at an event that may be another device's.
    func wait(until end: Cancellation, atMost seconds: Double) -> Bool {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 else {
            end.wait(atMost: seconds)
            return false
        }
        let limit = Int32(min(Double(Int32.max), (seconds * 1000).rounded(.up)))
        let own = end.pollMilliseconds
        var waited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&waited, nfds_t(waited.count), own < 0 ? limit : min(own, limit)) > 0,
            waited[0].revents != 0
        else { return false }
        let isNews = drain(descriptor)
        if !isNews { end.wait(atMost: Self.pauseSeconds) }
        return isNews
    }

    /// Reads the events that are there. Returns true if one of them has the name of an object, or names were lost.
    private func drain(_ descriptor: Int32) -> Bool {
        let isForeign = { [own] (name: String) in
            name == FolderLayout.file(of: own) || !Self.isObject(name)
        }
        var isNews = false
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // One reading is enough: the others wake the next wait.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        unsafe buffer.withUnsafeBytes { bytes in
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= count {
                let event = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let end = offset + header + Int(event.len)
                guard end <= count else { break }
                let name = unsafe String(
                    decoding: bytes[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
                let isLost = event.mask & (UInt32(IN_Q_OVERFLOW) | UInt32(IN_DELETE_SELF)) != 0
                if isLost || (!name.isEmpty && !isForeign(name)) { isNews = true }
                offset = end
            }
        }
        return isNews
    }

    /// Returns true for the name of a file or folder of the layout.
    private static func isObject(_ name: String) -> Bool {
        if watchedPrefixes.contains(where: { $0.folderName == name }) { return true }
        if FixedHexadecimal.number(name, digits: 1) != nil { return true }
        return watchedPrefixes.contains { StoreObjectName($0.text + name) != nil }
    }
}

extension ObjectPrefix {
    /// The folder of a prefix that has one of its own.
    fileprivate var folderName: String { FolderLayout.folders(of: self)[0] }
}
