package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey backup create`.
package struct BackupCreate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Back up the items, and files.",
        discussion: """
            Makes the folder DIR/DEVICE, or brings it up to date: files that have not changed since the last backup there \
            are not written again. The last backup stays whole until the new one is; an interrupted run leaves it as it \
            was. Asks for the device passcode each time; --host does without.
            """)

    @Argument(help: ArgumentHelp("The folder that backups lie in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Flag(help: "Encrypt it under the password for backups.")
    package var encrypted = false

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @OptionGroup package var sources: BackupSources
    @OptionGroup package var hostInput: HostInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let sources = try sources.sources()
        let device = try DeviceAccess(common)
        let status = try device.status()
        let excluded = try DeviceFiles(device)
        if encrypted, try !device.ask(DescribeBackups()).hasPassword {
            throw CommandFailure(
                .noPasscodeSet, "No password for encrypted backups is set.",
                advice: "Set one first: latchkey backup password set.")
        }
        let host = try hostInput.keybag()
        guard host == nil || encrypted else {
            throw CommandFailure(
                .usage, "A host makes encrypted backups.", why: "Files of others lie in clear.",
                advice: "Add --encrypted.")
        }
        let passcode = host == nil ? try device.ownersPasscode(common) : nil
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw CommandFailure(
                .outputNotWritten, "\(PlainText.escaped(directory)) could not be made.", why: SystemError.text(errno))
        }
        let grant =
            if let host { try device.ask(BeginHostBackup(host)) } else {
                try device.ask(BeginBackup(kind(), passcode: passcode))
            }
        var isComplete = false
        defer { _ = try? device.ask(EndBackup(grant.token, isComplete: isComplete)) }
        let progress = BackupProgress(isQuiet: quiet)
        Interruption.begin()
        let creation = BackupCreation(
            device.keychain, grant, isEncrypted: encrypted, sources: sources,
            device: DeviceDescription(status.enclave.keybagUUID), applications: try device.backupApplications(),
            hasPasscode: status.enclave.hasPasscode,
            now: WallTime(secondsSince2001: Date().timeIntervalSinceReferenceDate),
            isExcluded: excluded.excludes
        ) { phase, count in
            progress.advance(phase, by: count)
            return !Interruption.isRequested
        }
        let patience = LockPatience.upTo {
            progress.awaitReaders()
            return !Interruption.isRequested
        }
        let report = try CommandFailure.ofRun(directory) {
            try creation.run(in: FileArgument.absolute(directory), patience: patience)
        }
        isComplete = true
        progress.clear()
        return Report(text(report), json: json(report), status: ending(report))
    }

    private func ending(_ report: BackupCreation.Report) -> ExitReason {
        if case .unfinished = report.placement { return .outputNotWritten }
        return report.left.isEmpty ? .success : .partlyTransferred
    }

    private func kind() throws(CommandFailure) -> BeginBackup.Kind {
        guard !encrypted else { return .encrypted }
        let parameters = BackupPasswordParameters.unencrypted(entropy: SystemEntropy())
        return .unencrypted(BackupPassword(parameters, key: try parameters.key(for: SecretBox(copying: []))))
    }

    private func text(_ report: BackupCreation.Report) -> String {
        var lines = [
            "\(encrypted ? "An encrypted backup" : "A backup") is in \(PlainText.escaped(report.path)): "
                + "\(ItemCount.text(report.items)), \(ItemCount.text(report.copied, "file")) written "
                + "(\(FileSize.text(Int(clamping: report.copiedByteCount)))), \(report.unchanged) unchanged, "
                + "\(report.removed) removed."
        ]
        for (reason, count) in report.leftOutItems.sorted(by: { $0.key < $1.key }) {
            lines.append("  left out: \(ItemCount.text(Int(count))) \(ItemVerdictWords.reason(reason))")
        }
        if !encrypted {
            lines.append("Without a password, the files lie in clear, and the items come back on this device alone.")
        }
        lines += report.changing.prefix(20).map {
            "  changed while it was copied: \(PlainText.escaped($0)); the next run copies it again"
        }
        lines += BackupWords.left(report.left)
        lines += BackupWords.placement(report.placement)
        return lines.joined(separator: "\n")
    }

    private func json(_ report: BackupCreation.Report) -> JSONValue {
        .object([
            ("path", .string(report.path)), ("encrypted", .boolean(encrypted)), ("full", .boolean(report.isFull)),
            ("inPlace", .boolean(report.placement == .inPlace)),
            ("items", .integer(Int64(report.items))),
            (
                "leftOutItems",
                .object(report.leftOutItems.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
            ),
            ("copied", .integer(Int64(report.copied))), ("bytes", .integer(Int64(clamping: report.copiedByteCount))),
            ("unchanged", .integer(Int64(report.unchanged))), ("removed", .integer(Int64(report.removed))),
            ("changing", .array(report.changing.map { .string($0) })), ("left", BackupWords.json(report.left)),
        ])
    }
}

/// The progress of a run.
final class BackupProgress {
    private let line: ProgressLine?
    private var phase: BackupCreation.Phase?
    private var awaitsReaders = false

    init(isQuiet: Bool) {
        line = ProgressLine(isQuiet: isQuiet)
    }

    func advance(_ phase: BackupCreation.Phase, by count: Int) {
        if phase != self.phase {
            self.phase = phase
            switch phase {
            case .looking: line?.begin("Looking", total: nil)
            case .copying(let total): line?.begin("Copying", total: Int(clamping: total))
            case .items: line?.begin("Items", total: nil)
            }
        }
        if phase != .items { line?.advance(by: count) }
    }

    func awaitReaders() {
        guard !awaitsReaders else { return }
        awaitsReaders = true
        line?.begin("Waiting for readers of the last backup", total: nil)
    }

    func clear() {
        line?.clear()
    }
}

extension DeviceDescription {
    /// The description of this machine's device in a backup.
    init(_ keybag: [UInt8]) {
        let identifier = Hexadecimal.text(sha256(Array("latchkey backup device".utf8) + keybag).prefix(20))
        self.init(
            identifier: identifier, name: ProcessInfo.processInfo.hostName,
            serialNumber: "LK" + identifier.prefix(10).uppercased(), productType: "Latchkey1,1",
            productVersion: "14.3", buildVersion: "18C66")
    }
}

extension DeviceAccess {
    /// The programs that have used the device, as a backup lists them.
    func backupApplications() throws(CommandFailure) -> [BackupManifest.Application] {
        let all = try ask(ListApplications())
        var known: Set<String> = []
        return all.compactMap { application in
            guard application.seen.team != nil, let dot = application.seen.application.firstIndex(of: ".") else {
                return nil
            }
            let bundle = String(application.seen.application[application.seen.application.index(after: dot)...])
            guard known.insert(bundle).inserted else { return nil }
            return BackupManifest.Application(identifier: bundle, path: application.seen.path)
        }
    }
}
