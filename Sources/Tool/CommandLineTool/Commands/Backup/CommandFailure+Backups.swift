import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

extension CommandFailure {
    /// A backup that was not opened, read or written.
    init(_ failure: BackupFailure, _ path: String) {
        let name = PlainText.escaped(path)
        let verify = "`latchkey backup verify` says what else is damaged."
        switch failure {
        case .notABackup:
            self.init(
                .inputUnreadable, "There is no backup in \(name).", why: "It has no \(BackupNames.manifest).",
                advice: "Name the folder of the backup, or the one that it lies in.")
        case .severalBackups(let names):
            self.init(
                .usage, "There are several backups in \(name).",
                why: names.map { PlainText.escaped($0) }.joined(separator: ", "), advice: "Name one of the folders.")
        case .missing(let file):
            self.init(
                .fileDamaged, "The backup in \(name) is not whole.", why: "\(PlainText.escaped(file)) is missing.")
        case .damaged(let file):
            self.init(
                .fileDamaged, "The backup in \(name) cannot be read.", why: "\(PlainText.escaped(file)) is damaged.")
        case .unsupported(let file, let why):
            self.init(
                .inputMalformed, "The backup in \(name) is not read: \(PlainText.escaped(file)).",
                why: PlainText.escaped(why), advice: "Nothing is known to be damaged: keep the backup as it is.")
        case .beyondLimits(let file):
            self.init(
                .inputMalformed, "The backup in \(name) is not read.",
                why: "\(PlainText.escaped(file)) is larger or deeper than any real one.")
        case .changedMeanwhile:
            self.init(
                .deviceInUse, "The backup in \(name) changed while it was read.",
                why:
                    "A run put its new backup into this place. The file system has no locks that would keep it waiting.",
                advice: "Run the command again when no backup is being made.")
        case .beingMoved:
            self.init(
                .deviceInUse, "The backup in \(name) is being replaced.",
                why: "A run moves its new backup into this place, and has not come to its end.",
                advice: "Run the command again in a moment. If the run hangs, end it: the backup stays whole.")
        case .beingRead:
            self.init(
                .deviceInUse, "No new backup was made in \(name).",
                why: "The last one is whole, but is still read, so that its files cannot be moved to their places.",
                advice: "End the commands that read this backup, then run it again.")
        case .wrongPassword:
            self.init(.wrongPassphrase, "This is not the password of the backup.")
        case .keybag(let reason):
            self.init(.inputMalformed, "The keybag of the backup cannot be used.", why: "\(reason)")
        case .keyMissing(let number):
            self.init(
                .keychainRefused, "A key of the backup is not there.",
                why: "Class \(number) is bound to the device that made the backup.")
        case .keyNotAuthentic:
            self.init(.fileDamaged, "A key of the backup does not open.", advice: verify)
        case .keysRefused(let reason):
            self.init(.keychainRefused, "The device gives out no keys of the backup.", why: reason)
        case .badRecord(let domain, let path, _):
            self.init(
                .fileDamaged, "The backup's record of \(PlainText.escaped(domain + "/" + path)) is damaged.",
                advice: verify)
        case .payloadMissing(let id):
            self.init(.fileDamaged, "A file of the backup is missing.", why: "It is stored as \(id).", advice: verify)
        case .payloadDamaged(let id):
            self.init(.fileDamaged, "A file of the backup is damaged.", why: "It is stored as \(id).", advice: verify)
        case .system(let path, let number):
            self.init(
                number == ENOENT ? .inputUnreadable : .outputNotWritten, "\(PlainText.escaped(path)) is not usable.",
                why: SystemError.text(number), advice: StorageObstacle(systemError: number).advice)
        case .cancelled:
            self.init(.interrupted, "Interrupted.", advice: "The backup that was there before is whole.")
        }
    }

    /// A run that ended early.
    init(_ failure: RunFailure, _ directory: String) {
        switch failure {
        case .cancelled:
            self.init(
                .interrupted, "Interrupted.",
                advice: "What was there before is whole, and the same command goes on where this one ended.")
        case .source(let source, let failure):
            self.init(failure, path: source.path)
        case .target(let path, let number):
            self.init(
                .outputNotWritten, "\(PlainText.escaped(path)) is not usable.", why: SystemError.text(number),
                advice: StorageObstacle(systemError: number).advice)
        case .noRoom(let path, let needed, let free):
            self.init(
                .outputNotWritten, "There is not enough room in \(PlainText.escaped(path)).",
                why:
                    "It needs \(FileSize.text(Int(clamping: needed))); \(FileSize.text(Int(clamping: free))) are free.",
                advice: "Make room, or name another directory.")
        case .inUse(let path):
            self.init(
                .deviceInUse, "Another backup or restore is at work in \(PlainText.escaped(path)).",
                advice: "Wait until it has ended.")
        case .backup(let failure): self.init(failure, directory)
        case .damage(let files, let items):
            self.init(
                .fileDamaged, "\(BackupWords.unreadable(files, items)).",
                why: (files.map(\.path) + items.map { BackupWords.text($0) }).prefix(20).joined(separator: ", "),
                advice: "With --skip-damaged the rest is restored.")
        case .device(.declined(let code, let refusal)): self.init(code, refusal)
        case .device(.refused(let refusal)): self.init(refusal)
        case .device(.unreachable(let refusal)): self = .daemonUnreachable(why: refusal.reason)
        case .locked(let path):
            self.init(
                .locked, "\(PlainText.escaped(path)) cannot be read while the device is locked.",
                advice: "Unlock the device: latchkey unlock.")
        case .lockedForWriting(let path):
            self.init(
                .locked, "\(PlainText.escaped(path)) cannot be written while the device is locked.",
                why: "It is of a class that is locked.", advice: "Unlock the device: latchkey unlock.")
        case .unexpected(let reason): self.init(.failure, "The work on the backup failed.", why: reason)
        // Not everything that was there before is whole.
        case .unfinished(_, .cancelled): self.init(.interrupted, "Interrupted.")
        case .unfinished(_, let cause): self.init(cause, directory)
        }
    }

    static func text(_ obstacle: BackupRestoration.FileObstacle) -> String {
        switch obstacle {
        case .damaged: "It is damaged in the backup."
        case .missing: "It is missing in the backup."
        case .path: "Its path leads out of its domain."
        case .beyondLimits: "It is larger, or of another form, than this version reads."
        case .noKey: "Its key is bound to the device that made the backup, or was not given out."
        case .conflict: "Another entry of the backup has its place, or a part of its path."
        case .system(let number): "It cannot be read in the backup: \(SystemError.text(number))"
        case .obstructed(let kind): "\(text(kind)) is in its place here, and stays."
        case .noDirectory: "A part of its path here is not a directory."
        case .target(let number): "It cannot be written here: \(SystemError.text(number))"
        }
    }

    private static func text(_ kind: BackupRestoration.EntryKind) -> String {
        switch kind {
        case .file: "A file"
        case .directory: "A directory"
        case .link: "A link"
        case .special: "A pipe, a socket or a device"
        }
    }

    /// Runs the work of a backup.
    static func ofRun<Value>(_ directory: String, _ body: () throws -> Value) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(RunFailure(any: error), directory)
        }
    }
}
