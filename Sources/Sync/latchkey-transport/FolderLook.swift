import Synchronization

/// Tells when this process has to be started again, to use the folder that is there then.
final class FolderLook: Sendable {
    /// The folder at the start; nil if it was missing.
    private let folder: StoreFolder?
    private let wasAsked = Atomic(false)

    init(_ folder: StoreFolder?) {
        self.folder = folder
    }

    /// True if a question has to be left to the next process. Asked before each question.
    ///
    /// A process without a folder answers one question with that, and leaves the next one to a process that looks again: where the system
    /// shows a process no folders but its own, this one would never see it come back.
    var isOver: Bool {
        if let folder { return folder.isReplaced }
        return wasAsked.exchange(true, ordering: .relaxed)
    }
}
