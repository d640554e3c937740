package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey import ios-backup`.
package struct ImportIOSBackup: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "ios-backup", abstract: "Passwords, keys and files of a backup of an iPhone, app by app.",
        discussion: """
            Without a choice it shows the apps of the backup with their items and files, and changes nothing. Items and files \
            that are here already stay; with --overwrite those are replaced that were changed later on the iPhone. Items keep \
            their access groups, accounts and services.
            """)

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Option(help: ArgumentHelp("Import this app; can be given several times.", valueName: "app"))
    package var app: [String] = []

    @Flag(help: "Import all apps.")
    package var all = false

    @Option(
        help: ArgumentHelp("Write the files of the chosen apps, too, in a folder for each domain.", valueName: "dir"),
        completion: .directory)
    package var files: String?

    @Flag(help: "Replace items and files that were changed later on the iPhone, after a question.")
    package var overwrite = false

    @Flag(help: "Import the rest if files or items of the backup are damaged.")
    package var skipDamaged = false

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @Flag(help: "Do not ask for the word \"replace\".")
    package var yes = false

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var hostInput: HostInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let (folder, manifest) = try BackupPasswordInput.found(directory)
        let device = try DeviceAccess(common, makesDevice: true)
        let host = try hostInput.keybag()
        let passcode = host == nil ? try device.ownersPasscode(common) : nil
        let password = manifest.isEncrypted ? try input.password() : SecretBox(copying: [])
        let ended = { (report: BackupRestoration.Report, failure: CommandFailure) in
            RestoreWords.ended(report, failure, verb: "imported", members: self.report(report).json)
        }
        return try CommandFailure.ofRestore(directory, verb: "imported", ended: ended) {
            let (backup, key) = try OpenedBackup.opened(folder, password: password, patience: .ofCommand)
            let run = Run(
                command: self, device: device, host: host, passcode: passcode, manifest: backup.manifest, key: key,
                apps: BackupApps(backup.manifest))
            Interruption.begin()
            guard all || !app.isEmpty else { return try run.contents(of: backup).report }
            return try run.importing(backup)
        }
    }

    /// The items and files of an app in the backup.
    fileprivate struct App {
        var groups: [String] = []
        var items: [RestoredItems.Outcome: Int] = [:]
        var domains: Set<BackupDomain> = []
        var fileCount = 0
        var byteCount: Int64 = 0

        /// Items that would come.
        var new: Int { items[.restored, default: 0] }
        /// Items that differ from those here.
        var differing: Int { items[.kept, default: 0] + items[.replaced, default: 0] }

        /// Adds a size that the index claims. A sum that is too large stays at the largest number.
        mutating func add(byteCount count: Int64) {
            let (sum, isTooLarge) = byteCount.addingReportingOverflow(max(0, count))
            byteCount = isTooLarge ? .max : sum
        }
    }

    fileprivate struct Contents {
        var apps: [String: App] = [:]
        /// Items that cannot come, with no group that could be read.
        var others: [RestoredItems.Outcome: Int] = [:]
        /// Items and files that cannot be read, or whose paths lead elsewhere.
        var damagedItems: [DamagedItem] = []
        var failed: [BackupRestoration.FailedFile] = []
        /// The look at the items that has brought the names of groups.
        var look: ItemLook?
    }

    fileprivate struct Run {
        let command: ImportIOSBackup
        let device: DeviceAccess
        let host: HostKeybag?
        let passcode: SecretBox?
        let manifest: BackupManifest
        let key: SecretBox
        let apps: BackupApps
    }
}

extension ImportIOSBackup.Run {
    /// The apps with what the device would make of their items.
    func contents(of backup: OpenedBackup) throws -> ImportIOSBackup.Contents {
        var contents = try files(of: backup)
        let report = try restore(backup, groups: nil, destinations: [:], isDryRun: true)
        for (group, outcomes) in report.groups {
            guard !group.isEmpty else {
                contents.others = outcomes
                continue
            }
            let name = apps.app(ofGroup: group)
            contents.apps[name, default: .init()].groups.append(group)
            contents.apps[name, default: .init()].items.merge(outcomes, uniquingKeysWith: +)
        }
        contents.damagedItems = report.damagedItems
        contents.failed = report.failed
        return contents
    }

    /// The apps with the names of their groups, without asking the device about each item.
    private func names(of backup: OpenedBackup) throws -> ImportIOSBackup.Contents {
        var contents = try files(of: backup)
        // All apps need no names. A list that cannot be read is named by the import.
        guard !command.all || !command.skipDamaged, let list = try? backup.items() else { return contents }
        let look = try ItemLook(list, backup.keys) { !Interruption.isRequested }
        guard !Interruption.isRequested else { throw RunFailure.cancelled }
        contents.look = look
        // Items of this very device open in its enclave alone.
        if try look.boundCount > 0 && isOfThisDevice() { return try self.contents(of: backup) }
        for group in look.groups.keys {
            contents.apps[apps.app(ofGroup: group), default: .init()].groups.append(group)
        }
        return contents
    }

    private func isOfThisDevice() throws -> Bool {
        DeviceDescription(try device.status().enclave.keybagUUID).identifier == manifest.device.identifier
    }

    private func files(of backup: OpenedBackup) throws -> ImportIOSBackup.Contents {
        var contents = ImportIOSBackup.Contents()
        try backup.index.visit { row in
            guard let record = try? row.get(), record.kind == .file, record.domain != .keychain else { return true }
            let name = apps.app(ofDomain: record.domain.name)
            contents.apps[name, default: .init()].domains.insert(record.domain)
            contents.apps[name, default: .init()].fileCount += 1
            contents.apps[name, default: .init()].add(byteCount: record.size)
            return true
        }
        return contents
    }

    func importing(_ backup: OpenedBackup) throws -> Report {
        let mayReplace = command.overwrite && !command.yes
        let contents = try mayReplace ? self.contents(of: backup) : names(of: backup)
        if let unknown = command.app.first(where: { contents.apps[$0] == nil }) {
            throw CommandFailure(
                .itemNotFound, "The backup has nothing of \(PlainText.escaped(unknown)).",
                advice: "Without --app the command shows what it has.")
        }
        let chosen = command.all ? contents.apps : contents.apps.filter { command.app.contains($0.key) }
        var destinations: [BackupDomain: RestoreDestination] = [:]
        if let files = command.files {
            for domain in chosen.values.flatMap(\.domains) {
                destinations[domain] = .folder(FileArgument.absolute(files))
            }
        }
        if mayReplace { try ask(chosen, backup, destinations) }
        if let files = command.files {
            do {
                try FileManager.default.createDirectory(
                    atPath: FileArgument.absolute(files), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw CommandFailure(
                    .outputNotWritten, "The folder \(PlainText.escaped(files)) could not be made.",
                    why: error.localizedDescription)
            }
        }
        let groups = command.all ? nil : Set(chosen.values.flatMap(\.groups))
        return command.report(
            try restore(backup, groups: groups, destinations: destinations, isDryRun: false, look: contents.look))
    }

    /// Asks before anything that is here is replaced: items and files alike.
    private func ask(
        _ chosen: [String: ImportIOSBackup.App], _ backup: OpenedBackup,
        _ destinations: [BackupDomain: RestoreDestination]
    ) throws {
        let items = chosen.values.reduce(0) { $0 + $1.items[.replaced, default: 0] }
        let files = try BackupRestoration(
            backup, to: device.keychain, destinations: destinations, policy: command.policy, keepsOwners: false,
            isDryRun: true, skipsDamage: true
        ) { _ in
            !Interruption.isRequested
        }.run(nil).replaced
        guard items + files > 0 else { return }
        let parts = [
            items > 0 ? ItemCount.text(items) : nil, files > 0 ? ItemCount.text(files, "file") : nil,
        ].compactMap { $0 }.joined(separator: " and ")
        let confirmation = Confirmation(word: "replace", unchanged: "Nothing was imported.")
        try confirmation.requireTerminal(why: "This replaces \(parts), and there is no terminal to ask on.")
        try confirmation.ask("\(parts) of this machine, changed earlier, will be replaced.")
    }

    private func restore(
        _ backup: OpenedBackup, groups: Set<String>?, destinations: [BackupDomain: RestoreDestination], isDryRun: Bool,
        look: ItemLook? = nil
    ) throws -> BackupRestoration.Report {
        let policy = command.policy
        let grant =
            if let host {
                try device.ask(BeginHostRestore(host, keybag: manifest.keybag, passwordKey: key, policy: policy))
            } else {
                try device.ask(
                    BeginRestore(keybag: manifest.keybag, passwordKey: key, policy: policy, passcode: passcode))
            }
        defer { _ = try? device.ask(EndBackup(grant.token)) }
        let progress = RestoreProgress(isDryRun ? "Looking" : "Importing", isQuiet: command.quiet)
        defer { progress.clear() }
        var restoration = BackupRestoration(
            backup, to: device.keychain, destinations: destinations, policy: policy, groups: groups,
            keepsOwners: false, isDryRun: isDryRun, skipsDamage: command.skipDamaged || isDryRun,
            proceed: progress.advance(by:))
        restoration.proceedLooking = progress.advanceLooking(by:)
        restoration.knownItems = look
        return try restoration.run(grant)
    }
}

extension ImportIOSBackup {
    fileprivate var policy: RestorePolicy { overwrite ? .merge : .keep }

    fileprivate func report(_ report: BackupRestoration.Report) -> Report {
        var lines = ["Imported:", RestoreWords.items(report)]
        if files != nil { lines.append(RestoreWords.files(report)) }
        lines += BackupWords.damage(report.failed, report.damagedItems)
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("items", RestoreWords.json(report)),
                ("files", .integer(Int64(report.restored))), ("replaced", .integer(Int64(report.replaced))),
                ("kept", .integer(Int64(report.kept.count))),
                ("failed", .array(report.failed.map { .string($0.path) })),
                ("damagedItems", BackupWords.json(report.damagedItems)),
            ]), status: report.isWhole ? .success : .partlyTransferred)
    }
}

extension ImportIOSBackup.Contents {
    /// The apps with what they have, those with items first.
    fileprivate var report: Report {
        let sorted = apps.sorted { ($0.value.items.isEmpty ? 1 : 0, $0.key) < ($1.value.items.isEmpty ? 1 : 0, $1.key) }
        var lines = sorted.map { name, app in
            var parts: [String] = []
            if !app.items.isEmpty {
                parts.append(
                    ItemCount.text(app.items.values.reduce(0, +)) + " (\(app.new) new, \(app.differing) that differ)")
            }
            if app.fileCount > 0 {
                parts.append(
                    "\(ItemCount.text(app.fileCount, "file")) (\(FileSize.text(Int(clamping: app.byteCount))))")
            }
            return "\(PlainText.escaped(name)): " + parts.joined(separator: ", ")
        }
        let bound = others[.otherDevice, default: 0]
        if bound > 0 { lines.append("\(ItemCount.text(bound)) of the iPhone alone, which open nowhere else.") }
        lines += BackupWords.damage(failed, damagedItems)
        lines.append("Nothing was imported. Choose: --app NAME for each, or --all; --files DIR for files.")
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                (
                    "apps",
                    .array(
                        sorted.map { name, app in
                            .object([
                                ("app", .string(name)), ("groups", .array(app.groups.sorted().map { .string($0) })),
                                ("items", .integer(Int64(app.items.values.reduce(0, +)))),
                                ("new", .integer(Int64(app.new))), ("differing", .integer(Int64(app.differing))),
                                ("domains", .array(app.domains.sorted().map { .string($0.name) })),
                                ("files", .integer(Int64(app.fileCount))), ("bytes", .integer(app.byteCount)),
                            ])
                        })
                ),
                ("otherDevice", .integer(Int64(bound))), ("damaged", .integer(Int64(damagedItems.count))),
                ("damagedItems", BackupWords.json(damagedItems)), ("failed", BackupWords.json(failed)),
            ]))
    }
}
