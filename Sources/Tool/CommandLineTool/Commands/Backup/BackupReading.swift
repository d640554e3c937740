package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyKeybag
import LatchkeyPlainText

/// `latchkey backup verify`.
package struct BackupVerify: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Read everything in a backup, and name what is damaged.",
        discussion: "Needs no device. Asks for the password of an encrypted backup.")

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let backup = try input.opened(directory)
        let progress = ProgressLine(isQuiet: quiet)
        progress?.begin("Verifying", total: nil)
        Interruption.begin()
        let check = try CommandFailure.ofRun(directory) {
            try backup.reading {
                try BackupCheck(backup) { count in
                    progress?.advance(by: count)
                    return !Interruption.isRequested
                }
            }
        }
        progress?.clear()
        var lines = [
            "\(check.isSound ? "Sound" : check.isDamaged ? "Damaged" : "Not verified whole"): \(ItemCount.text(check.files, "file")) "
                + "(\(FileSize.text(Int(clamping: check.byteCount)))), \(ItemCount.text(check.items))."
        ]
        lines += check.findings.map { finding in
            "  \(PlainText.escaped(finding.domain + "/" + finding.path)): \(Self.text(finding.fault))"
        }
        lines += check.damagedItems.map { "  \(BackupWords.text($0)): damaged" }
        if check.unauthenticated > 0 {
            lines.append(
                "\(ItemCount.text(check.unauthenticated, "file")) made elsewhere: the form has nothing that would show "
                    + "every change of them.")
        }
        if check.strayPayloads > 0 {
            lines.append("\(ItemCount.text(check.strayPayloads, "file")) that nothing names; they do no harm.")
        }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("sound", .boolean(check.isSound)), ("files", .integer(Int64(check.files))),
                ("bytes", .integer(Int64(clamping: check.byteCount))), ("items", .integer(Int64(check.items))),
                ("damagedItems", BackupWords.json(check.damagedItems)),
                ("unauthenticated", .integer(Int64(check.unauthenticated))),
                ("stray", .integer(Int64(check.strayPayloads))),
                (
                    "damaged",
                    .array(
                        check.findings.map { finding in
                            .object([
                                ("domain", .string(finding.domain)), ("path", .string(finding.path)),
                                ("why", .string(Self.text(finding.fault))),
                            ])
                        })
                ),
            ]), status: check.isSound ? .success : check.isDamaged ? .fileDamaged : .inputUnreadable)
    }

    static func text(_ fault: BackupCheck.Fault) -> String {
        switch fault {
        case .record(.path): "its path leads out of its domain"
        case .record: "its record is damaged"
        case .missing: "missing"
        case .damaged: "damaged, or another file"
        case .size(let found, let expected): "\(found) bytes instead of \(expected)"
        case .keyNotAuthentic: "its key does not open"
        case .unreadable(let number): "cannot be read now: \(SystemError.text(number))"
        }
    }
}

/// `latchkey backup inspect`.
package struct BackupInspect: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show of what device a backup is, and how it is protected.",
        discussion: "Needs neither the password nor a device.")

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let (folder, manifest) = try BackupPasswordInput.found(directory)
        let status = try? folder.status()
        let header = try? Keybag(parsing: manifest.keybag).header
        let iterations = header?.firstRoundIterations
        let isWeak = manifest.isEncrypted && (iterations ?? 0) < BackupPasswordParameters.standardFirstIterations
        let date = CalendarDate.text(manifest.date)
        var lines = [
            "Backup of \(PlainText.escaped(manifest.device.name)) (\(PlainText.escaped(manifest.device.productType)), "
                + "\(PlainText.escaped(manifest.device.productVersion))), \(date)",
            "Folder: \(PlainText.escaped(folder.path))",
            manifest.isEncrypted
                ? "Encrypted: \(iterations.map { "\($0) rounds" } ?? "one round") for each guess of the password"
                : "Not encrypted: files lie in clear, items open on their own device alone",
        ]
        if isWeak { lines.append("Its password is cheaper to guess than that of an iPhone's backup.") }
        if let status, !status.isFinished { lines.append("The run that made it did not come to its end.") }
        if !manifest.applications.isEmpty { lines.append("Apps: \(manifest.applications.count)") }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("path", .string(folder.path)), ("device", .string(manifest.device.identifier)),
                ("name", .string(manifest.device.name)), ("date", .string(date)),
                ("encrypted", .boolean(manifest.isEncrypted)),
                ("rounds", iterations.map { .integer(Int64($0)) } ?? .null), ("weak", .boolean(isWeak)),
                ("finished", .boolean(status?.isFinished ?? true)),
                ("apps", .array(manifest.applications.map { .string($0.identifier) })),
            ]))
    }
}

/// `latchkey backup list`.
package struct BackupList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the files in a backup, with class and size.",
        discussion: "Needs no device. Asks for the password of an encrypted backup.")

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Option(help: ArgumentHelp("List this domain alone.", valueName: "domain"))
    package var domain: String?

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let chosen = domain.map { BackupDomain($0) }
        if let domain, case .some(nil) = chosen {
            throw CommandFailure(.usage, "\(PlainText.escaped(domain)) cannot be the name of a domain.")
        }
        let backup = try input.opened(directory)
        var lines: [String] = []
        var entries: [JSONValue] = []
        func add(_ record: FileRecord) {
            let name = record.domain.name + "/" + record.path
            if common.json {
                entries.append(
                    .object([
                        ("domain", .string(record.domain.name)), ("path", .string(record.path)),
                        ("bytes", .integer(record.size)), ("class", .integer(Int64(record.protectionClass))),
                        ("target", record.target.map { .string($0) } ?? .null),
                    ]))
            } else {
                let target = record.target.map { " -> " + PlainText.escaped($0) } ?? ""
                lines.append("\(record.protectionClass)  \(record.size)  \(PlainText.escaped(name))\(target)")
            }
        }
        try CommandFailure.ofRun(directory) {
            try backup.reading {
                try backup.index.visit(domain: chosen ?? nil) { row in
                    if let record = try? row.get(), record.kind != .directory { add(record) }
                    return true
                }
            }
        }
        return Report(lines.sorted().joined(separator: "\n"), json: .object([("files", .array(entries))]))
    }
}

/// `latchkey backup extract`.
package struct BackupExtract: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "extract", abstract: "Write one file of a backup.",
        discussion: """
            The file gets its name when it is complete and, of a backup that Latchkey made, authentic. Needs no device. Asks \
            for the password of an encrypted backup.
            """)

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Argument(help: ArgumentHelp("The file, as `latchkey backup list` shows it.", valueName: "domain/path"))
    package var file: String

    @Option(name: [.customShort("o"), .long], help: "Write to this new file, which only its owner can read.")
    package var output: String

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let slash = file.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            throw CommandFailure(
                .usage, "The file is named as DOMAIN/PATH.", advice: "`latchkey backup list` shows them.")
        }
        let domain = String(file[..<slash])
        let path = String(file[file.utf8.index(after: slash)...])
        let backup = try input.opened(directory)
        let result = try OutputFile(.file(output, replacing: false), offersReplacing: false)
        let size = try CommandFailure.ofRun(directory) {
            try backup.reading { try extract(FileID(domain: domain, path: path), of: backup, to: result) }
        }
        try result.complete()
        return Report(
            "Written to \(PlainText.escaped(output)): \(FileSize.text(Int(clamping: size))).",
            json: .object([("output", .string(output)), ("bytes", .integer(Int64(clamping: size)))]))
    }

    /// Returns the number of bytes.
    private func extract(_ id: FileID, of backup: OpenedBackup, to result: OutputFile) throws -> UInt64 {
        guard let record = try backup.index.record(id), record.kind == .file else {
            throw CommandFailure(
                .itemNotFound, "The backup has no file \(PlainText.escaped(file)).",
                advice: "`latchkey backup list` shows what it has.")
        }
        let content = try backup.content(of: record)
        var failure: CommandFailure?
        do {
            try unsafe content.pieces(tag: record.tag) { (piece) throws(BackupFailure) in
                do throws(CommandFailure) {
                    try unsafe result.write(piece)
                } catch {
                    failure = error
                    throw .cancelled
                }
            }
        } catch BackupFailure.cancelled {
            if let failure { throw failure }
            throw BackupFailure.cancelled
        }
        return content.size
    }
}
