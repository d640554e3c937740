package import LatchkeyCodeSignature
package import LatchkeyKeychainMessages
package import LatchkeyPeerIdentity

/// A program that was looked at: what stays true of it while its process runs.
package struct RecognisedProgram: Sendable {
    package let executable: ExecutableFile
    package let privateAccessGroup: String
    package let runner: CallerRecognition.Runner
    /// Nil where there was no file to look at.
    package let finding: ProgramFinding?
    /// The reason why a signature of this program has level B; nil for level A.
    package let protectionObstacle: ProtectionObstacle?

    var signedLevel: AssuranceLevel { protectionObstacle == nil ? .a : .b }

    /// The weakest level at which the program wants its groups, by its entitlements; nil without such a demand.
    package var demandedLevel: AssuranceLevel? {
        guard case .valid(let signature)? = finding?.signature else { return nil }
        return signature.statement.entitlements.minimumLevel
    }

    var process: CallerProcess {
        CallerProcess(
            processID: runner.processID, userID: runner.userID, executableDigest: finding?.digest)
    }

    /// For the list of the programs that used the device; nil for one that has no groups.
    package func sighting(as caller: Caller) -> SeenApplication? {
        guard !caller.accessGroups.isEmpty else { return nil }
        let path = executable.displayPath
        return SeenApplication(
            application: caller.application ?? path, team: caller.team, level: caller.level,
            accessGroups: caller.accessGroups, digest: finding?.digest ?? [], path: path)
    }
}

/// The reason why other software of its user can reach into a signed program (`Docs/Threats`).
package enum ProtectionObstacle: Sendable, Hashable, CustomStringConvertible {
    case notSigned
    case notSetgid
    case noTrustedGroup
    case otherGroup(UInt32)
    case otherOwner(UInt32)
    case writable
    case setgidIgnored
    case otherMountNamespace
    case otherRunningGroup(UInt32)
    case foreignLibraries

    package var description: String {
        switch self {
        case .notSigned: "it has no signature that counts"
        case .notSetgid: "its file is not setgid"
        case .noTrustedGroup: "this machine has no group of trusted programs"
        case .otherGroup(let group): "its file belongs to group \(group), which is not that of trusted programs"
        case .otherOwner(let user): "its file belongs to user \(user), not to root"
        case .writable: "others than root can write its file"
        case .setgidIgnored: "it lies on a file system where setgid has no effect (nosuid)"
        case .otherMountNamespace: "it runs where its path means another file (mount namespace)"
        case .otherRunningGroup(let group): "it runs with group \(group), not with that of trusted programs"
        case .foreignLibraries:
            "it loads libraries from directories that others than root can change, or relative to it"
        }
    }
}
