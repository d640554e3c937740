import LatchkeyAuditLog
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// The device on which a package's programs run, and a throwaway directory for what only they need.
final class KitStage {
    private static let name = "latchkey-swift"
    private static let place = "/tmp"

    private let throwaway: ThrowawayDirectory
    private let named: String?

    /// - Parameter named: the directory of a device that stays; nil for one that is removed with this object.
    init(device named: String?) throws(CommandFailure) {
        self.named = named
        // Of a run that was killed. Its programs may still be there.
        ThrowawayDirectory.removeAbandoned(named: Self.name, in: [Self.place]) {
            DeviceLock.isHeld(DeviceDirectory(path: Self.device(in: $0)))
        }
        do throws(ThrowawayFailure) {
            throwaway = try ThrowawayDirectory(named: Self.name, in: [Self.place], isRemovedAtSignal: true)
        } catch {
            throw CommandFailure(
                .failure, "No throwaway directory could be made in \(Self.place).", why: SystemError.text(error.errno))
        }
    }

    private static func device(in throwaway: String) -> String { throwaway + "/device" }

    private var directory: DeviceDirectory { DeviceDirectory(path: named ?? Self.device(in: throwaway.path)) }

    /// Variables that have the package's programs write their findings into files of the throwaway directory.
    ///
    /// - Parameter environment: that of this process. A log of CommonCrypto that the user asked for stays the user's.
    func findingVariables(environment: [String: String]) -> [String: String] {
        var variables = [FindingFile.variable: findings]
        if environment[CommonCryptoLog.variable] == nil { variables[CommonCryptoLog.variable] = cryptoFindings }
        return variables
    }

    private var findings: String { throwaway.path + "/findings" }
    private var cryptoFindings: String { throwaway.path + "/crypto-findings" }

    /// The device as `LATCHKEY_DEVICE` names it: behind its daemon, where it has one.
    var location: String {
        BoundedFile.isReadable(directory.keychainSocket)
            ? "unix:" + directory.keychainSocket : "dir:" + directory.path
    }

    /// Writes entitlements for the programs, and returns the path of the file.
    func write(_ entitlements: [String: PropertyValue]) throws(CommandFailure) -> String {
        guard named == nil || location.hasPrefix("dir:") else {
            throw CommandFailure(
                .entitlementsRefused, "A device behind a daemon takes no declared entitlements.",
                why: "The daemon goes by the signatures of programs.",
                advice: "Leave --device out, or sign the programs: latchkey codesign.")
        }
        let path = throwaway.path + "/entitlements"
        try ResultFile.write(DERWriter.encode(.dictionary(entitlements)), to: path)
        return path
    }

    /// A report on the run, in one line: calls and refusals on the throwaway device, and findings. Nil for a run
    /// without any. A device that stays has the calls and refusals of others, too, and they are not counted.
    func summary() -> String? {
        var report = RunReport()
        if named == nil, directory.holdsDevice {
            report.add(calls: (try? AuditReader(directory: directory.keychain).tail(.max)) ?? [])
            if let device = try? DeviceAccess(.directory(path: directory.path)) {
                report.add(refusals: (try? device.refusals(limit: RefusalRecord.listLimit)) ?? [])
            }
        }
        report.add(findings: BoundedFile.text(findings, limit: RunReport.fileByteLimit) ?? "")
        report.add(cryptoFindings: BoundedFile.text(cryptoFindings, limit: RunReport.fileByteLimit) ?? "")
        return report.text
    }
}
