package import ArgumentParser
import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

/// `latchkey backup rehearse`.
package struct BackupRehearse: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rehearse", abstract: "Restore a backup to a throwaway device, and say what would be lost.",
        discussion: """
            Restores items and files to a new device and a new folder that are gone afterwards, reads everything back from \
            there and compares it with the backup. Shows what another machine would not get. Nothing is left behind; what a \
            killed rehearsal leaves in the directory for temporary files, the next one removes.
            """)

    @Argument(
        help: ArgumentHelp("The backup, or the folder that it lies in.", valueName: "dir"), completion: .directory)
    package var directory: String

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    @OptionGroup package var input: BackupPasswordInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let (folder, manifest) = try BackupPasswordInput.found(directory)
        let password = manifest.isEncrypted ? try input.password() : SecretBox(copying: [])
        let device = try ThrowawayDevice()
        let progress = ProgressLine(isQuiet: quiet)
        progress?.begin("Rehearsing", total: nil)
        defer { progress?.clear() }
        Interruption.begin()
        let rehearsal = try CommandFailure.ofRun(directory) {
            let (backup, key) = try OpenedBackup.opened(folder, password: password, patience: .ofCommand)
            try device.checkRoom(for: BackupRehearsal.byteCount(of: backup))
            return try withExtendedLifetime(device) {
                try backup.reading {
                    try BackupRehearsal(backup, passwordKey: key, on: device.keychain, in: device.files) { count in
                        progress?.advance(by: count)
                        return !Interruption.isRequested
                    }
                }
            }
        }
        let leftOut = leftOutItems(manifest)
        return Report(
            text(rehearsal, leftOut), json: json(rehearsal, leftOut),
            status: rehearsal.isWhole ? .success : .fileDamaged)
    }

    /// The items of this machine's device that no backup holds, by reason; nil if another device made the backup, or if
    /// this one does not answer.
    private func leftOutItems(_ manifest: BackupManifest) -> [(reason: String, count: Int64)]? {
        guard let device = try? DeviceAccess(common), let status = try? device.status(),
            DeviceDescription(status.enclave.keybagUUID).identifier == manifest.device.identifier,
            let rows = try? device.ask(PlanItems())
        else { return nil }
        var counts: [String: Int64] = [:]
        for row in rows {
            if case .known(.leftOut(let reason)) = row.verdict { counts[reason.rawValue, default: 0] += row.count }
        }
        return counts.sorted { $0.key < $1.key }.map { (reason: $0.key, count: $0.value) }
    }

    private static func lost(_ rehearsal: BackupRehearsal) -> [(outcome: RestoredItems.Outcome, count: Int)] {
        let came: Set<RestoredItems.Outcome> = [.restored, .identical, .kept, .replaced]
        let lost = rehearsal.report.items.filter { !came.contains($0.key) }
        return lost.sorted { $0.key.rawValue < $1.key.rawValue }.map { (outcome: $0.key, count: $0.value) }
    }

    private func json(_ rehearsal: BackupRehearsal, _ leftOut: [(reason: String, count: Int64)]?) -> JSONValue {
        let lost = Self.lost(rehearsal)
        let report = rehearsal.report
        let came = report.items[.restored, default: 0] + report.items[.identical, default: 0]
        return .object([
            ("whole", .boolean(rehearsal.isWhole && lost.isEmpty)), ("items", .integer(Int64(came))),
            ("read", .integer(Int64(rehearsal.itemsRead))),
            ("lost", .object(lost.map { ($0.outcome.rawValue, .integer(Int64($0.count))) })),
            ("files", .integer(Int64(rehearsal.check.files))),
            ("filesRead", .integer(Int64(rehearsal.filesRead))),
            ("damagedFiles", .integer(Int64(rehearsal.check.findings.count))),
            ("failed", BackupWords.json(report.failed)), ("damagedItems", BackupWords.json(report.damagedItems)),
            ("alteredItems", BackupWords.json(rehearsal.alteredItems)),
            ("alteredFiles", .array(rehearsal.alteredFiles.map { .string($0) })),
            (
                "inNoBackup",
                leftOut.map { .object($0.map { ($0.reason, .integer($0.count)) }) } ?? .null
            ),
        ])
    }

    private func text(_ rehearsal: BackupRehearsal, _ leftOut: [(reason: String, count: Int64)]?) -> String {
        let report = rehearsal.report
        var lines = [
            "Read back from another device, the same as in the backup: \(ItemCount.text(rehearsal.itemsRead)), "
                + "\(ItemCount.text(rehearsal.filesRead, "file"))."
        ]
        for (group, outcomes) in report.groups.sorted(by: { $0.key < $1.key }) where !group.isEmpty {
            let came = outcomes[.restored, default: 0] + outcomes[.identical, default: 0]
            lines.append("  \(PlainText.escaped(group)): \(ItemCount.text(came))")
        }
        let lost = Self.lost(rehearsal)
        lines += lost.map { "  lost: \(ItemCount.text($0.count)) \(RestoreWords.words($0.outcome))" }
        let failed = Set(report.failed.map(\.path))
        lines += rehearsal.check.findings.filter { !failed.contains($0.domain + "/" + $0.path) }.map {
            "  \(PlainText.escaped($0.domain + "/" + $0.path)): \(BackupVerify.text($0.fault))"
        }
        lines += BackupWords.damage(report.failed, report.damagedItems)
        lines += rehearsal.alteredItems.map { "  \(BackupWords.text($0)): restored, and not the same" }
        lines += rehearsal.alteredFiles.prefix(100).map { "  \(PlainText.escaped($0)): restored, and not the same" }
        if let leftOut {
            lines += leftOut.map {
                "  in no backup: \(ItemCount.text(Int(clamping: $0.count))) \(ItemVerdictWords.reason($0.reason))"
            }
        } else {
            lines.append(
                "In no backup: items of the class akpu, keys of the enclave, and items that ask for a person. On the "
                    + "device that made this one, `latchkey backup plan` counts them.")
        }
        if rehearsal.isWhole, lost.isEmpty { lines.append("Nothing in it would be lost.") }
        return lines.joined(separator: "\n")
    }
}

/// A device in this process and in a directory that goes with it, also if a signal ends the process.
private final class ThrowawayDevice {
    private static let name = "latchkey-rehearsal"

    let keychain: any Keychain
    private let device: EmbeddedDevice
    private let directory: ThrowawayDirectory

    init() throws(CommandFailure) {
        let places = [FileManager.default.temporaryDirectory.path]
        ThrowawayDirectory.removeAbandoned(named: Self.name, in: places)
        do throws(ThrowawayFailure) {
            directory = try ThrowawayDirectory(named: Self.name, in: places, isRemovedAtSignal: true)
        } catch {
            throw CommandFailure(
                .deviceStorage, "A throwaway device could not be made.", why: SystemError.text(error.errno))
        }
        guard unsafe mkdir(directory.path + "/files", 0o700) == 0 else {
            throw CommandFailure(
                .deviceStorage, "A throwaway device could not be made.", why: SystemError.text(errno))
        }
        do throws(DeviceFailure) {
            device = try EmbeddedDevice(
                directory: directory.path + "/device", clock: SystemClock(), entropy: SystemEntropy(),
                passcodeCost: .calibrated)
        } catch {
            throw CommandFailure(error)
        }
        keychain = device.keychain(
            for: Caller(name: "latchkey", accessGroups: [AccessGroupList.everything], isOwnersTool: true))
    }

    /// The folder that files are restored to.
    var files: String { directory.path + "/files" }

    /// Refuses a backup whose files do not fit, before any is written.
    func checkRoom(for byteCount: UInt64) throws {
        guard let free = try? OpenDirectory(opening: files).freeByteCount, free < byteCount else { return }
        throw CommandFailure(
            .outputNotWritten, "There is not enough room for a rehearsal in \(PlainText.escaped(directory.path)).",
            why: "It needs \(FileSize.text(Int(clamping: byteCount))); \(FileSize.text(Int(clamping: free))) are free.",
            advice: "Set TMPDIR to a directory with more room.")
    }

    deinit {
        device.close()
    }
}
