import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyBackupRun
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// Words about what a backup does not hold, and about what of it is damaged.
enum BackupWords {
    private static let namedEntries = 20

    static func left(_ left: [LeftEntry]) -> [String] {
        guard !left.isEmpty else { return [] }
        var lines = ["Not in the backup: \(ItemCount.text(left.count, "entry", "entries"))."]
        lines += left.prefix(namedEntries).map { "  \(PlainText.escaped($0.path)): \(text($0.reason))" }
        if left.count > namedEntries { lines.append("  and \(left.count - namedEntries) more; --json names all") }
        return lines
    }

    static func json(_ left: [LeftEntry]) -> JSONValue {
        .array(left.map { .object([("path", .string($0.path)), ("why", .string(text($0.reason)))]) })
    }

    /// Lines about a new backup that counts and is not in its place.
    static func placement(_ placement: BackupStage.Placement) -> [String] {
        let readers = "Commands of Latchkey read it already; other programs do when the next run has moved it."
        switch placement {
        case .inPlace: return []
        case .awaitsReaders:
            return [
                "The backup counts, but the last one is still read, so that its files wait in \(BackupNames.snapshot). "
                    + readers
            ]
        case .unfinished(let number):
            return [
                "The backup counts, but its files could not all be moved to their places: \(SystemError.text(number)). "
                    + readers
            ]
        }
    }

    /// Where a backup takes the files of a class.
    static func destination(_ protection: FileProtection?) -> String {
        protection == nil
            ? "to any device, in clear there as here; without a password they lie in clear in the backup, too"
            : "to any device, in their class; without a password they lie in clear in the backup"
    }

    // MARK: Damage

    /// A line for each file and each item that cannot be restored.
    static func damage(
        _ files: [BackupRestoration.FailedFile], _ items: [DamagedItem]
    ) -> [String] {
        let lines =
            files.map { "  \(PlainText.escaped($0.path)): \(CommandFailure.text($0.reason))" }
            + items.map { "  \(text($0)): It is damaged in the backup." }
        guard lines.count > namedDamage else { return lines }
        return lines.prefix(namedDamage) + ["  and \(lines.count - namedDamage) more; --json names all"]
    }

    /// The place of an item in its backup. Neither its account nor another value of it is shown.
    static func text(_ item: DamagedItem) -> String {
        "item \(item.number) of \(item.table)" + (item.group.map { ", group \(PlainText.escaped($0))" } ?? "")
    }

    static func json(_ files: [BackupRestoration.FailedFile]) -> JSONValue {
        .array(
            files.map { entry in
                .object([("path", .string(entry.path)), ("why", .string(CommandFailure.text(entry.reason)))])
            })
    }

    static func json(_ items: [DamagedItem]) -> JSONValue {
        .array(
            items.map { item in
                .object([
                    ("table", .string(item.table)), ("number", .integer(Int64(item.number))),
                    ("accessGroup", item.group.map { .string($0) } ?? .null),
                ])
            })
    }

    /// The report of a run that has restored nothing, because something of the backup is damaged.
    ///
    /// - Parameter verb: as "restored".
    static func refusal(
        _ files: [BackupRestoration.FailedFile], _ items: [DamagedItem], verb: String
    ) -> Report {
        let lines =
            ["Nothing was \(verb): \(unreadable(files, items))."]
            + damage(files, items) + ["With --skip-damaged the rest is \(verb)."]
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("refused", .boolean(true)), ("failed", json(files)), ("damagedItems", json(items)),
            ]), status: .fileDamaged)
    }

    /// As "1 file and 2 items of the backup cannot be read".
    static func unreadable(_ files: [BackupRestoration.FailedFile], _ items: [DamagedItem]) -> String {
        let counts = [(files.count, "file"), (items.count, "item")].filter { $0.0 > 0 }
        let isReadable = files.contains { $0.reason == .conflict || $0.reason == .path }
        return counts.map { ItemCount.text($0.0, $0.1) }.joined(separator: " and ")
            + " of the backup cannot be \(isReadable ? "restored" : "read")"
    }

    private static let namedDamage = 100

    private static func text(_ reason: LeftEntry.Reason) -> String {
        switch reason {
        case .special: "a pipe, a socket or a device"
        case .otherFileSystem: "on another file system: name it with --files"
        case .excluded: "of a device, of a volume that is to be mounted first, or the backup itself"
        case .nameIsNotText: "its name is not UTF-8"
        case .pathTooLong: "its path is too long"
        case .temporary: "another program is about to put it into a place"
        case .unreadable(let number): SystemError.text(number)
        }
    }
}

/// The reasons for which an item is in no backup, as parts of sentences.
enum ItemVerdictWords {
    static func reason(_ name: String) -> String {
        switch name {
        case "passcodeSet": "of the class that ends with the passcode (akpu)"
        case "enclaveKey": "whose private key never leaves the enclave"
        case "accessControl": "that ask for a person"
        case "token", "sharingGroup", "systemBound": "that stay on their device"
        case "withheld": "of groups that demand a higher assurance level than this program has"
        case "undecodable": "that cannot be decoded"
        case "untilReboot": "that end with a restart"
        default: "of a locked class"
        }
    }

    /// Where an encrypted backup takes items, and one without a password where that differs.
    static func verdicts(_ verdict: ItemPlanRow.Verdict) -> String {
        let other = verdict.withoutPassword
        guard other != verdict else { return "to \(Self.verdict(verdict))" }
        return "to \(Self.verdict(verdict)); without a password to \(Self.verdict(other))"
    }

    private static func verdict(_ verdict: ItemPlanRow.Verdict) -> String {
        switch verdict {
        case .known(.anyDevice): "any device"
        case .known(.thisDevice): "this device alone"
        case .known(.leftOut(let reason)): "no backup: \(Self.reason(reason.rawValue))"
        case .locked: "no backup is made: of a locked class"
        case .undecodable: "no backup: damaged"
        }
    }
}
