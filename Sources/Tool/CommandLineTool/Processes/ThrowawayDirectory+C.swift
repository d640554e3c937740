import CLatchkeyShims
import Glibc

/// A directory of this process alone, with a name that nothing had. It is removed with everything in it when the object
/// goes, and, if that is asked for, when a signal ends the process.
///
/// A lock on the directory says that its process is still there: after a `SIGKILL` a later process removes what is
/// left.
package final class ThrowawayDirectory: Sendable {
    package let path: String
    private let lock: Int32
    private let isRemovedAtSignal: Bool

    /// - Parameters:
    ///   - name: the directory is `name.XXXXXX`.
    ///   - places: absolute paths; the first in which this user can make a directory is taken.
    /// - isRemovedAtSignal: one such directory at a time. Where other things end first, the owner watches signals
    /// itself.
    package init(
        named name: String, in places: [String], isRemovedAtSignal: Bool
    ) throws(ThrowawayFailure) {
        guard let made = Self.make(name, in: places, isRemovedAtSignal) else { throw ThrowawayFailure(errno: errno) }
        (path, lock) = made
        self.isRemovedAtSignal = isRemovedAtSignal
    }

    deinit {
        remove()
        if isRemovedAtSignal { lk_directory_remove_at_signal(nil) }
        close(lock)
    }

    package func remove() {
        DirectoryTree.remove(path)
    }

    /// Removes the directories of that name whose process has ended without removing them. Those of other users, with
    /// another mode, or in use stay.
    /// - Parameter isUsed: true for a directory that processes use which the ended one has started.
    package static func removeAbandoned(
        named name: String, in places: [String], unless isUsed: (String) -> Bool = { _ in false }
    ) {
        for place in places {
            // A place that cannot be read has nothing that this process could remove.
            let names = (try? DirectoryTree.names(in: place)) ?? []
            for candidate in names where isName(candidate, of: name) {
                removeIfAbandoned(place + "/" + candidate, isUsed)
            }
        }
    }

    // MARK: Making

    private static let tries = 8

    private static func make(_ name: String, in places: [String], _ isRemovedAtSignal: Bool) -> (String, Int32)? {
        for place in places {
            for _ in 0..<tries {
                guard let path = newDirectory("\(place)/\(name).XXXXXX", isRemovedAtSignal) else { break }
                let descriptor = open(path)
                // Another process may take it for abandoned before it is locked, and remove it.
                if descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
                    isSame(descriptor, path)
                {
                    return (path, descriptor)
                }
                if descriptor >= 0 { close(descriptor) }
            }
        }
        return nil
    }

    /// No signal comes between the directory and the note that it is to be removed.
    private static func newDirectory(_ template: String, _ isRemovedAtSignal: Bool) -> String? {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var template = Array(template.utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return nil }
        if isRemovedAtSignal { unsafe lk_directory_remove_at_signal(template) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Removing what others left

    private static func isName(_ candidate: String, of name: String) -> Bool {
        guard candidate.hasPrefix(name + ".") else { return false }
        let rest = candidate.utf8.dropFirst(name.utf8.count + 1)
        return rest.count == 6 && rest.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "z") ~= $0 }
    }

    private static func removeIfAbandoned(_ path: String, _ isUsed: (String) -> Bool) {
        let descriptor = open(path)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_uid == geteuid(),
            information.st_mode & 0o7777 == 0o700, flock(descriptor, LOCK_EX | LOCK_NB) == 0, isSame(descriptor, path),
            !isUsed(path)
        else { return }
        DirectoryTree.remove(path)
    }

    private static func open(_ path: String) -> Int32 {
        unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.isSameFile(as: named)
    }
}

/// No throwaway directory could be made.
package struct ThrowawayFailure: Error, Sendable {
    package let errno: Int32
}
