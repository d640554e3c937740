package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
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
            Restores the items to a new device that is gone afterwards, reads each of them back, and decrypts every file \
            in memory. Shows what another machine would not get. Nothing is left behind.
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
        let (keybag, key) = try BackupRestore.key(for: password, manifest, directory)
        let device = try ThrowawayDevice()
        let progress = ProgressLine(isQuiet: quiet)
        progress?.begin("Rehearsing", total: nil)
        Interruption.begin()
        func proceed(_ count: Int) -> Bool {
            progress?.advance(by: count)
            return !Interruption.isRequested
        }
        let (check, report, read) = try CommandFailure.ofRun(directory) {
            let backup = try OpenedBackup(folder, manifest, keys: BackupKeys(keybag, passcodeKey: key))
            let grant = try device.keychain.ask(
                BeginRestore(keybag: manifest.keybag, passwordKey: key, policy: .merge, passcode: nil))
            let report = try BackupRestoration(
                backup, to: device.keychain, targets: [:], policy: .merge, isDryRun: false, skipsDamage: true,
                proceed: proceed
            ).run(grant)
            return (try BackupCheck(backup, proceed: proceed), report, try device.readAll())
        }
        progress?.clear()
        let came = report.items[.restored, default: 0] + report.items[.identical, default: 0]
        let lost = report.items.filter { ![.restored, .identical, .kept, .replaced].contains($0.key) }
        let isWhole = lost.isEmpty && check.findings.isEmpty && read == report.items[.restored, default: 0]
        return Report(
            text(check, report, came: came, read: read, lost: lost),
            json: .object([
                ("whole", .boolean(isWhole)), ("items", .integer(Int64(came))), ("read", .integer(Int64(read))),
                (
                    "lost",
                    .object(
                        lost.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                            ($0.key.rawValue, .integer(Int64($0.value)))
                        })
                ),
                ("files", .integer(Int64(check.files))), ("damagedFiles", .integer(Int64(check.findings.count))),
            ]), status: check.findings.isEmpty && lost[.damaged] == nil ? .success : .fileDamaged)
    }

    private func text(
        _ check: BackupCheck, _ report: BackupRestoration.Report, came: Int, read: Int,
        lost: [RestoredItems.Outcome: Int]
    ) -> String {
        var lines = [
            "Comes back on another machine: \(ItemCount.text(came)), of which \(read) could be read.",
            "Files: \(check.files - check.findings.count) of \(check.files) are sound.",
        ]
        for (outcome, count) in lost.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append("  lost: \(ItemCount.text(count)) \(BackupRestore.words(outcome))")
        }
        for (group, outcomes) in report.groups.sorted(by: { $0.key < $1.key }) where !group.isEmpty {
            let came = outcomes[.restored, default: 0] + outcomes[.identical, default: 0]
            lines.append("  \(PlainText.escaped(group)): \(ItemCount.text(came))")
        }
        if lost.isEmpty, check.findings.isEmpty { lines.append("Nothing in it would be lost.") }
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

    /// Opens every item with its secret, and returns their number.
    func readAll() throws -> Int {
        let parameters = BackupPasswordParameters.unencrypted(entropy: SystemEntropy())
        let key = try parameters.key(for: SecretBox(copying: []))
        let grant = try keychain.ask(BeginBackup(.unencrypted(BackupPassword(parameters, key: key)), passcode: nil))
        var place: ItemPlace?
        var count = 0
        repeat {
            let page = try keychain.ask(BackUpItems(grant.token, after: place))
            count += page.items.count
            place = page.next
        } while place != nil
        return count
    }

    deinit {
        device.close()
    }
}
