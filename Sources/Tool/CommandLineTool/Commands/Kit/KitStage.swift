import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// The device on which a package's programs run, and a throwaway directory for what only they need.
final class KitStage {
    private let throwaway: ThrowawayDirectory
    private let named: String?

    /// - Parameter named: the directory of a device that stays; nil for one that is removed with this object.
    init(device named: String?) throws(CommandFailure) {
        self.named = named
        do throws(ThrowawayFailure) {
            throwaway = try ThrowawayDirectory(named: "latchkey-swift", in: ["/tmp"], isRemovedAtSignal: true)
        } catch {
            throw CommandFailure(
                .failure, "No throwaway directory could be made in /tmp.", why: SystemError.text(error.errno))
        }
    }

    private var directory: DeviceDirectory { DeviceDirectory(path: named ?? throwaway.path + "/device") }

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

    /// The refusals on the throwaway device, by rule, in one line; nil for one that was not used, and for a device that
    /// stays, whose journal has those of others, too.
    func summary() -> String? {
        guard named == nil, directory.holdsDevice else { return nil }
        guard let device = try? DeviceAccess(.directory(path: directory.path)),
            let records = try? device.refusals(limit: RefusalRecord.listLimit)
        else { return nil }
        guard !records.isEmpty else { return "the device refused nothing" }
        var counts: [(rule: String, reason: String, count: Int)] = []
        for record in records.reversed() {
            let rule = record.refusal.ruleName
            if let index = counts.firstIndex(where: { $0.rule == rule }) {
                counts[index].count += 1
            } else {
                counts.append((rule, record.refusal.reason, 1))
            }
        }
        let parts = counts.map { "\($0.count) × \($0.rule) (\(PlainText.escaped($0.reason)))" }
        return "the device refused \(records.count) \(records.count == 1 ? "call" : "calls"): "
            + parts.joined(separator: "; ")
    }
}
