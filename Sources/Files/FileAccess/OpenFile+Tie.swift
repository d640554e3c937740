import LatchkeyFileFormat
import LatchkeyKeybag

/// Files of databases that a program writes by itself.
///
/// A program may save a file that it received under the name of a journal, over one that is there. Its bytes are not the
/// database's, so the tie ends before.
extension OpenFile {
    /// Ends the tie of a journal or log whose content a program changes. The database itself keeps its own: one without it would
    /// take any journal.
    func leaveDatabase() throws(AccessFailure) {
        guard let tie = try tie(), tie.role != .database else { return }
        try setTie(nil)
    }

    /// Gives the file a class and cuts off its content, for a program that writes all of it anew.
    func empty(_ protection: FileProtection) throws(AccessFailure) {
        try setTie(nil)
        try setProtection(protection)
        try truncate(to: 0)
    }
}
