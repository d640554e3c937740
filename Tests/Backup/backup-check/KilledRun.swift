import CLatchkeyFaultPoint
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import SecurityTesting

/// A backup or a restore in a process of its own, on the same device, which is killed before one of its calls that change
/// files.
enum KilledRun: String {
    case encryptedBackup
    case plainBackup
    /// Of the files alone.
    case restore
    /// Of the items, onto another device.
    case itemRestore

    enum Ending: Equatable {
        case whole
        case killed
        /// With an error, or by another signal.
        case failed
    }

    /// The directory that restores go to.
    static func target(of home: BackedUpHome) -> String { home.path + "/restored" }

    /// The directory of the device that items are restored to. It has no passcode.
    static func otherDevice(of home: BackedUpHome) -> String { home.path + "/other-device" }

    static func opened(_ directory: String) throws -> EmbeddedDevice {
        try EmbeddedDevice(
            directory: directory, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
    }

    /// The keychain of a program that reaches every group.
    static func keychain(of device: EmbeddedDevice) -> any Keychain {
        device.keychain(
            for: Caller(name: "backup-check", accessGroups: [AccessGroupList.everything], isOwnersTool: true))
    }

    /// - Parameters:
    ///   - call: the number of the deadly call; nil to let the run end.
    ///   - error: the calls from that one on fail with it, and nothing is killed.
    func run(on machine: Machine, killedBefore call: Int?, orFailingWith error: Int32? = nil) throws -> Ending {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = [
            "run", rawValue, machine.device.directory.path, machine.path, "\(call ?? 0)", "\(error ?? 0)",
        ]
        // The failures are intended.
        if error != nil { process.standardOutput = FileHandle.nullDevice }
        try process.run()
        process.waitUntilExit()
        switch (process.terminationReason, process.terminationStatus) {
        case (.exit, 0): return .whole
        case (.uncaughtSignal, SIGKILL): return .killed
        default: return .failed
        }
    }

    /// Performs the work of the process.
    func perform(device path: String, home: String, at call: UInt64, _ error: Int32) throws {
        func disturb() {
            if error == 0 { lkfp_kill_before(call) } else { lkfp_fail_from(call, .max, error) }
        }
        guard self != .itemRestore else {
            let other = try Self.opened(home + "/other-device")
            let home = BackedUpHome(Self.keychain(of: other), path: home, hasPasscode: false)
            let backup = try home.opened()
            disturb()
            try home.restore(backup, to: Self.target(of: home))
            lkfp_kill_before(0)
            return other.close()
        }
        let device = try Self.opened(path)
        let keychain = device.keychain(for: Caller(name: "backup-check", accessGroups: ["backup-check"]))
        _ = try keychain.ask(UnlockDevice(BackedUpHome.box(BackedUpHome.passcode)))
        let home = BackedUpHome(keychain, path: home)
        switch self {
        case .encryptedBackup, .plainBackup:
            let grant = try home.beginBackup(encrypted: self == .encryptedBackup)
            disturb()
            let report = try home.backUp(encrypted: self == .encryptedBackup, under: grant)
            if case .unfinished(let number) = report.placement { throw Finding("a move failed: \(number)") }
        case .itemRestore: break
        case .restore:
            let backup = try home.opened()
            disturb()
            try home.restore(backup, to: Self.target(of: home), withItems: false)
        }
        lkfp_kill_before(0)
        device.close()
    }
}
