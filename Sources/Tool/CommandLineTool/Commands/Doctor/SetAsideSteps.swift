import LatchkeyDevice
package import LatchkeyItemDatabase

/// The databases of a device that were set aside. Formats before 9 had tokens in them by which secrets can be guessed;
/// these are taken out of databases that open. No advice is to delete one: it may be the keychain itself.
package enum SetAsideSteps {
    private static let page = "Docs/Manual/Damage.md"

    static func steps(_ directory: DeviceDirectory) -> [InstallationStep] {
        SetAsideDatabase.all(from: directory.keychain + "/keychain.db").map { step($0.path, $0.removeTokens()) }
    }

    /// The files are the daemon's own: it does at its start what is done here otherwise.
    static func ofDaemon(_ directory: DeviceDirectory) -> InstallationStep {
        InstallationStep(
            "set-aside databases", .notice,
            "in the daemon's files, for root to see; the daemon takes out of them at its start what lets secrets be guessed",
            mend: "sudo find \(quoted(directory.keychain)) -name 'keychain.db.damaged-*'; if there are any: \(page)")
    }

    /// A word of a shell.
    private static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    package static func step(_ path: String, _ state: SetAsideDatabase.State) -> InstallationStep {
        let name = "set-aside database"
        switch state {
        case .clean:
            return InstallationStep(
                name, .notice,
                "\(path) opens and may be your keychain; no search token that lets a secret be guessed is in it",
                mend: "keep it; \(page) says how to take it back")
        case .partlyClean:
            return InstallationStep(
                name, .notice,
                "\(path) opens and is damaged in part; what cannot be read of it may have search tokens that let secrets be "
                    + "guessed",
                mend: "keep it where no other user can read it; \(page) says how to recover its items")
        case .unreadable:
            return InstallationStep(
                name, .notice,
                "\(path) does not open; if an earlier version wrote it, it has search tokens that let secrets be guessed",
                mend: "keep it where no other user can read it, or restore a backup: \(page)")
        case .unknown(let reason):
            return InstallationStep(
                name, .notice, "\(path) could not be looked at: \(reason)", mend: "solve that, then: latchkey doctor"
            )
        }
    }
}
