package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey backup restore`.
package struct BackupRestore: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring a backup's items to this device, and its files to this machine.",
        discussion: """
            Of an item that both have, the one that was changed last stays (--merge), or the one here (--keep). --replace \
            does as a phone does: items that a backup could hold go first. Files go where --to says, HomeDomain to the home \
            directory if --home is given. An interrupted run goes on with the same command.
            """)

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Flag(exclusivity: .exclusive, help: "What happens to items and files that are here already.")
    package var policy: PolicyArgument = .merge

    @Option(
        help: ArgumentHelp(
            "Restore the files of a domain to a directory; can be given several times.", valueName: "domain=dir"))
    package var to: [String] = []

    @Flag(help: "Restore HomeDomain to the home directory.")
    package var home = false

    @Flag(help: "Leave the items out.")
    package var noItems = false

    @Flag(help: "Restore the rest if files of the backup are damaged.")
    package var skipDamaged = false

    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and do nothing.")
    package var dryRun = false

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @Flag(help: "Do not ask for the word \"replace\".")
    package var yes = false

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var hostInput: HostInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package enum PolicyArgument: String, EnumerableFlag {
        case merge, keep, replace

        var policy: RestorePolicy {
            switch self {
            case .merge: .merge
            case .keep: .keep
            case .replace: .replace
            }
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let targets = try targets()
        let device = try DeviceAccess(common, makesDevice: !dryRun)
        let (folder, manifest) = try BackupPasswordInput.found(directory)
        if policy == .replace, !dryRun, !yes {
            let confirmation = Confirmation(word: "replace", unchanged: "Nothing was restored.")
            try confirmation.requireTerminal(why: "This deletes items, and there is no terminal to ask on.")
            try confirmation.ask("Every item of this device that a backup could hold is deleted first.")
        }
        let host = try hostInput.keybag()
        let passcode = noItems || host != nil ? nil : try device.ownersPasscode(common)
        let password = manifest.isEncrypted ? try input.password() : SecretBox(copying: [])
        let ended = { (report: BackupRestoration.Report, failure: CommandFailure) in
            RestoreWords.ended(report, failure, verb: "restored", members: json(report))
        }
        return try CommandFailure.ofRestore(directory, verb: "restored", ended: ended) {
            let (backup, key) = try OpenedBackup.opened(folder, password: password, patience: .ofCommand)
            var grant: BackupGrant?
            if !noItems {
                grant =
                    if let host {
                        try device.ask(
                            BeginHostRestore(
                                host, keybag: backup.manifest.keybag, passwordKey: key, policy: policy.policy))
                    } else {
                        try device.ask(
                            BeginRestore(
                                keybag: backup.manifest.keybag, passwordKey: key, policy: policy.policy,
                                passcode: passcode))
                    }
            }
            defer { if let grant { _ = try? device.ask(EndBackup(grant.token)) } }
            let progress = RestoreProgress("Restoring", isQuiet: quiet)
            defer { progress.clear() }
            Interruption.begin()
            var restoration = BackupRestoration(
                backup, to: device.keychain, targets: targets, policy: policy.policy, isDryRun: dryRun,
                skipsDamage: skipDamaged, proceed: progress.advance(by:))
            restoration.proceedLooking = progress.advanceLooking(by:)
            let report = try restoration.run(grant)
            return Report(
                text(report) + Self.noteOnCircle(report, device, isDryRun: dryRun), json: json(report),
                status: status(report))
        }
    }

    /// Returns a note on restored items that the devices of a circle share.
    private static func noteOnCircle(
        _ report: BackupRestoration.Report, _ device: DeviceAccess, isDryRun: Bool
    ) -> String {
        let count = report.items[.restored, default: 0] + report.items[.replaced, default: 0]
        guard !isDryRun, count > 0, let circle = try? device.ask(DescribeCircle()), circle.membership != .none else {
            return ""
        }
        return """

            Those that the circle shares reach the other devices as changes of now, unless a newer one or a newer deletion comes before. A \
            newer edit that comes later loses, and is kept: `latchkey sync conflicts`.
            """
    }

    private func status(_ report: BackupRestoration.Report) -> ExitReason {
        guard !report.isWhole else { return .success }
        // Without leave to skip it, a restore would bring nothing.
        return dryRun && !skipDamaged && report.hasDamage ? .fileDamaged : .partlyTransferred
    }

    private func targets() throws(CommandFailure) -> [BackupDomain: String] {
        var targets: [BackupDomain: String] = [:]
        if home { targets[BackupSource.home] = BackupSources.home }
        for argument in to {
            let (domain, path) = try BackupSources.split(argument)
            guard let domain = domain.flatMap({ BackupDomain($0) }), domain != .keychain, !path.isEmpty else {
                throw CommandFailure(
                    .usage, "--to wants a domain and a directory.", advice: "For instance: --to HomeDomain=restored.")
            }
            targets[domain] = FileArgument.absolute(path)
        }
        return targets
    }

    private func text(_ report: BackupRestoration.Report) -> String {
        var lines = [dryRun ? "Nothing was changed. A restore would give:" : "Restored:"]
        if !noItems { lines.append(RestoreWords.items(report)) }
        lines.append(RestoreWords.files(report))
        for (domain, count) in report.withoutTarget.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "  not restored: \(ItemCount.text(count, "file")) of \(PlainText.escaped(domain)); --to says where to")
        }
        lines += BackupWords.damage(report.failed, report.damagedItems)
        if dryRun, !skipDamaged, report.hasDamage {
            lines.append("Damaged: without --skip-damaged, a restore would bring nothing.")
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ report: BackupRestoration.Report) -> JSONValue {
        .object([
            ("dryRun", .boolean(dryRun)),
            ("items", RestoreWords.json(report)), ("deletedFirst", .boolean(report.device.hasMadePlace)),
            ("restored", .integer(Int64(report.restored))), ("replaced", .integer(Int64(report.replaced))),
            ("identical", .integer(Int64(report.identical))), ("kept", .array(report.kept.map { .string($0) })),
            ("failed", BackupWords.json(report.failed)), ("damagedItems", BackupWords.json(report.damagedItems)),
            (
                "withoutTarget",
                .object(report.withoutTarget.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) })
            ),
        ])
    }
}

/// The progress of a restore, which looks at everything before it brings anything.
final class RestoreProgress {
    private let line: ProgressLine?
    private let name: String
    private var isLooking: Bool?

    init(_ name: String, isQuiet: Bool) {
        self.name = name
        line = ProgressLine(isQuiet: isQuiet)
    }

    func advanceLooking(by count: Int) -> Bool { advance(by: count, isLooking: true) }
    func advance(by count: Int) -> Bool { advance(by: count, isLooking: false) }

    private func advance(by count: Int, isLooking: Bool) -> Bool {
        if isLooking != self.isLooking {
            self.isLooking = isLooking
            line?.begin(isLooking ? "Looking" : name, total: nil)
        }
        line?.advance(by: count)
        return !Interruption.isRequested
    }

    func clear() {
        line?.clear()
    }
}
