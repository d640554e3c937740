package import ArgumentParser
import LatchkeyAccessControl
import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyBackupRun
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey backup plan`.
package struct BackupPlan: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show what a backup would hold, and what comes back where.",
        discussion: """
            Writes nothing, and reads no secret. For each group of items, and each domain of files, it shows where an \
            encrypted backup takes them, and where one without a password does.
            """)

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @OptionGroup package var sources: BackupSources
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let sources = try sources.sources()
        let device = try DeviceAccess(common)
        let rows = try device.ask(PlanItems())
        let excluded = try DeviceFiles(device)
        let progress = ProgressLine(isQuiet: quiet)
        progress?.begin("Looking", total: nil)
        Interruption.begin()
        let plan = try CommandFailure.ofRun("") {
            try FilePlan(sources, excluding: excluded.excludes) { count in
                progress?.advance(by: Int(clamping: count))
                return !Interruption.isRequested
            }
        }
        progress?.clear()
        var lines = rows.isEmpty ? ["No items."] : ["Items:"]
        for row in rows {
            lines.append(
                "  \(PlainText.escaped(row.accessGroup))  \(row.itemClass.rawValue)  \(row.accessible?.rawValue ?? "?")  "
                    + "\(row.count)  \(ItemVerdictWords.verdicts(row.verdict))")
        }
        if !plan.rows.isEmpty { lines.append("Files:") }
        for row in plan.rows {
            let name = row.protection.map { FileClassName.readable($0) } ?? "in clear"
            lines.append(
                "  \(PlainText.escaped(row.domain.name))  \(name)  \(ItemCount.text(row.count, "file"))  "
                    + "\(FileSize.text(Int(clamping: row.byteCount)))  \(BackupWords.destination(row.protection))")
        }
        lines += BackupWords.left(plan.left)
        if sources.isEmpty { lines.append("No files: name folders with --files.") }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                (
                    "items",
                    .array(
                        rows.map { row in
                            .object([
                                ("accessGroup", .string(row.accessGroup)), ("class", .string(row.itemClass.rawValue)),
                                ("accessible", row.accessible.map { .string($0.rawValue) } ?? .null),
                                ("verdict", .string(row.verdict.text)),
                                ("withoutPassword", .string(row.verdict.withoutPassword.text)),
                                ("count", .integer(row.count)),
                            ])
                        })
                ),
                (
                    "files",
                    .array(
                        plan.rows.map { row in
                            .object([
                                ("domain", .string(row.domain.name)),
                                ("class", row.protection.map { .string($0.rawValue) } ?? .null),
                                ("count", .integer(Int64(row.count))),
                                ("bytes", .integer(Int64(clamping: row.byteCount))),
                                // The class keys of files are bound to no device, in backups of both kinds.
                                ("verdict", .string(ItemVerdict.anyDevice.text)),
                                ("withoutPassword", .string(ItemVerdict.anyDevice.text)),
                            ])
                        })
                ), ("left", BackupWords.json(plan.left)),
            ]))
    }
}
