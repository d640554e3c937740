import Foundation
import LatchkeyFileAccess
import Synchronization

/// The review of the files that are stored on a device.
final class FileReview: Sendable {
    private struct Note: Sendable, Hashable {
        let finding: Finding
        let version: StoredFile.Version
    }

    private struct State {
        var forgotten: Set<Note> = []
        /// The last remarks, of a device that was closed; nil before.
        var last: [Note]?
    }

    let directory: URL
    /// Without links, as the system names open files.
    private let realPath = Mutex<String?>(nil)
    private let state = Mutex(State())

    init(of directory: URL) {
        self.directory = directory
    }

    /// The remarks about the files as they are now.
    var findings: [Finding] {
        let notes = state.withLock(\.last) ?? look()
        return state.withLock { state in notes.filter { !state.forgotten.contains($0) } }.map(\.finding)
    }

    func forget() {
        let notes = state.withLock(\.last) ?? look()
        state.withLock { $0.forgotten.formUnion(notes) }
    }

    /// Looks once more, before the files go.
    func end() {
        guard state.withLock({ $0.last == nil }) else { return }
        let notes = look()
        state.withLock { $0.last = $0.last ?? notes }
    }

    /// The path below the directory; the whole path of a file elsewhere.
    func name(ofFileAt path: String?) -> String? {
        guard let path else { return nil }
        let real = realPath.withLock { known in
            if known == nil { known = try? FilePath.real(directory.path) }
            return known
        }
        guard let real, path.hasPrefix(real + "/") else { return path }
        return String(path.dropFirst(real.count + 1))
    }

    private func look() -> [Note] {
        let files = StoredFile.all(below: directory)
        return Review.flaws(of: files).map { flaw, file in
            Note(
                finding: Finding(
                    kind: flaw.kind, call: flaw.call, applicationIdentifier: "", path: file.name, callSite: nil,
                    reason: flaw.reason, advice: flaw.advice),
                version: file.version)
        }
    }
}
