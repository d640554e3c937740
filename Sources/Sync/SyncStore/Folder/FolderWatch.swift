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
        /// Each folder that was looked at last is watched.
        var isWhole = false
        /// Nil before the first look.
        var seen: Int?
        /// The next look finds a change that was reported already.
        var isReported = false
    }

    /// The watches of one look.
    private struct Watches {
        var numbers: Set<Int32> = []
        var isWhole = true
    }

    /// The reason why a wait ended.
    enum Event {
        /// Nothing that concerns this device.
        case none
        case files
        /// A folder came or went, or events were lost: only a look tells what there is now.
        case folders
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
        var watches = Watches()
        var seen = 0
        do throws(SystemCallFailure) {
            if let root {
                // Watched before it is looked at: a change in between is noticed twice, and not missed.
                watch(root, &watches)
                for prefix in Self.watchedPrefixes {
                    guard let folder = try root.folder(prefix.folderName) else { continue }
                    watch(folder, &watches)
                    seen &+= try look(prefix, folder, group: nil, &watches)
                }
            }
        } catch {
            state.withLock { $0.isReported = false }
            throw StoreFailure(error)
        }
        return state.withLock { state in
            // Watches of folders that are not there any more end.
            for watch in state.watched.subtracting(watches.numbers) { inotify_rm_watch(state.descriptor, watch) }
            (state.watched, state.isWhole) = (watches.numbers, watches.isWhole)
            defer { (state.seen, state.isReported) = (seen, false) }
            return state.seen != seen && !state.isReported
        }
    }

    /// Leaves the look after a reported change to the next wait: the device that waits for the report has it sooner. Changes that come until then are
    /// events, which end that wait.
    ///
    /// - Returns: false if there are folders without events. Then the look cannot wait.
    func noteReported() -> Bool {
        state.withLock { state in
            state.isReported = state.isWhole
            return state.isWhole
        }
    }

    private func look(
        _ prefix: ObjectPrefix, _ folder: OpenFolder, group: String?, _ watches: inout Watches
    ) throws(SystemCallFailure) -> Int {
        var seen = 0
        for entry in try folder.entries(limit: Self.entryLimit).entries {
            if entry.kind == .folder, group == nil, let digits = FolderLayout.groupDigits(of: prefix),
                FixedHexadecimal.number(entry.name, digits: digits) != nil
            {
                guard let inner = try? folder.folder(entry.name) else { continue }
                watch(inner, &watches)
                seen &+= try look(prefix, inner, group: entry.name, &watches)
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

    private func watch(_ folder: OpenFolder, _ watches: inout Watches) {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 else { return }
        let watch = unsafe inotify_add_watch(descriptor, folder.ownPath, Self.events)
        if watch >= 0 { watches.numbers.insert(watch) } else { watches.isWhole = false }
    }

    /// Waits for an event that may be another device's, the end, or for so many seconds.
    func wait(until end: Cancellation, atMost seconds: Double) -> Event {
        let descriptor = state.withLock { $0.descriptor }
        guard descriptor >= 0 else {
            end.wait(atMost: seconds)
            return .none
        }
        let limit = Int32(min(Double(Int32.max), (seconds * 1000).rounded(.up)))
        let own = end.pollMilliseconds
        var waited = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&waited, nfds_t(waited.count), own < 0 ? limit : min(own, limit)) > 0,
            waited[0].revents != 0
        else { return .none }
        let event = drain(descriptor)
        if event == .none { end.wait(atMost: Self.pauseSeconds) }
        return event
    }

    /// Reads the events that are there.
    private func drain(_ descriptor: Int32) -> Event {
        let isForeign = { [own] (name: String) in
            name == FolderLayout.file(of: own) || !Self.isObject(name)
        }
        var found = Event.none
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        // One reading is enough: the others wake the next wait.
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return .none }
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
                if isLost || (!name.isEmpty && !isForeign(name)) {
                    let isFolder = isLost || event.mask & UInt32(IN_ISDIR) != 0
                    if found != .folders { found = isFolder ? .folders : .files }
                }
                offset = end
            }
        }
        return found
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
