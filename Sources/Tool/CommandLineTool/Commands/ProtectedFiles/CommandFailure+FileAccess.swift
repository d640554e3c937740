import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

extension CommandFailure {
    /// The failure of an act on a file.
    init(_ failure: AccessFailure, path: String) {
        let name = PlainText.escaped(path)
        switch failure {
        case .refused(let refusal):
            let base = CommandFailure(ItemReply(code: refusal.code, refusal: refusal.refusal))
            self = CommandFailure(
                base.status, "The device does not give out the key of \(name).", why: base.why ?? base.what,
                advice: base.advice, code: base.code)
        case .inUse:
            self.init(
                .inputUnreadable, "\(name) is in use.", why: "Another process has it open through Latchkey.",
                advice: "End that program, or try again later.")
        case .notProtected:
            self.init(
                .inputMalformed, "\(name) is not a protected file.", why: "It is stored in clear.",
                advice: "`latchkey file protect` gives it a class.")
        case .unknownClass(let number):
            self.init(
                .fileDamaged, "\(name) has an unknown class.", why: "Its header names class \(number).",
                advice: "Restore it from a backup, or use a later version of Latchkey.")
        case .file(let failure): self.init(failure, name: name)
        case .system(_, let number): self.init(number, name: name)
        }
    }

    private init(_ failure: FileFailure, name: String) {
        let restore = "Restore it from a backup."
        switch failure {
        case .damaged(let range):
            self.init(
                .fileDamaged, "\(name) is damaged.",
                why: "The bytes \(range.lowerBound) to \(range.upperBound) cannot be read or were altered.",
                advice: "\(restore) `latchkey file check` lists all damage.")
        case .notAuthentic, .headersDisagree, .notProtectedFile:
            self.init(
                .fileDamaged, "\(name) cannot be opened.", why: "Its header is damaged, or another file's.",
                advice: restore)
        case .newerVersion(let version):
            self.init(
                .inputMalformed, "\(name) has a later format.", why: "Its version is \(version).",
                advice: "Use a later version of Latchkey.")
        case .backing(.noSpace): self.init(ENOSPC, name: name)
        case .backing(.readOnly): self.init(EROFS, name: name)
        case .backing(.system(let number)): self.init(number, name: name)
        case .tooLarge: self.init(EFBIG, name: name)
        case .closed, .readOnly, .unsettled, .notEmpty, .wrappedKeyTooLong: self.init(EIO, name: name)
        }
    }

    private init(_ number: Int32, name: String) {
        let advice: String? =
            switch number {
            case ENOSPC, EDQUOT: "Make room on its disk, then try again."
            case EROFS: "Its file system takes no changes."
            case EACCES, EPERM: "Its owner, or root, can do this."
            case EOPNOTSUPP: "Its file system has no extended attributes: classes of directories need them."
            case EIO: "The disk may be failing: copy what can be read, and take it from a backup."
            default: nil
            }
        self.init(.inputUnreadable, "\(name) could not be used.", why: SystemError.text(number), advice: advice)
    }

    /// The failure to protect a file, or to store it in clear.
    init(_ failure: ConversionFailure, path: String) {
        let name = PlainText.escaped(path)
        switch failure {
        case .access(let failure): self.init(failure, path: path)
        case .openForWriting:
            self.init(
                .inputUnreadable, "\(name) was left as it is.", why: "Another program has it open for writing.",
                advice: "End that program, then run the command again.")
        case .changed:
            self.init(
                .inputUnreadable, "\(name) was left as it is.", why: "It was changed while it was copied.",
                advice: "Run the command again.")
        case .kept(let path):
            self.init(
                .inputUnreadable, "\(name) was changed while a copy took its place.",
                why: "The file that was there before is kept as \(PlainText.escaped(path)).",
                advice: "Compare the two, keep what you need under \(name), and remove the other.")
        case .obstacle(let reason):
            self.init(.inputUnreadable, "\(name) was left as it is.", why: LeftWords.text(reason) + ".")
        case .noSpace(let needed, let free):
            self.init(
                .outputNotWritten, "\(name) was left as it is.",
                why: "A second copy of it needs \(FileSize.text(Int(clamping: needed))) for a moment, and "
                    + "\(FileSize.text(Int(clamping: free))) are free.",
                advice: "Make room, then run the command again.")
        case .cancelled: self.init(.interrupted, "\(name) was left as it is.", why: "The command was interrupted.")
        }
    }
}
