import LatchkeyCodeSignature
import LatchkeyKeybag
import LatchkeyPeerIdentity
import LatchkeyVolume
import Synchronization

/// The class that programs name for their new files: the entitlement `com.apple.developer.default-data-protection` of a
/// valid signature. Its team need not be trusted, because a program may give its own files any class.
final class ProgramProtection: Sendable {
    private let check: ProgramCheck
    private let known = Mutex<[FileIdentity: FileProtection?]>([:])
    private static let knownLimit = 256

    /// - Parameter signatures: the directories of signatures that are in no program.
    init(signatures: [String]) {
        check = ProgramCheck(detachedDirectories: signatures)
    }

    /// Nil for a program without the entitlement, and for one whose file is on a volume or in another mount namespace.
    func protection(of caller: VolumeCaller) -> FileProtection? {
        guard caller.process > 0, let identity = RunningExecutable.identity(ofProcess: caller.process) else {
            return nil
        }
        if let known = known.withLock({ $0[identity] }) { return known }
        guard let running = RunningExecutable(ofProcess: caller.process) else { return nil }
        let found = running.opened().flatMap { entitled($0) }
        known.withLock { known in
            if known.count == Self.knownLimit { known = [:] }
            known[running.identity] = .some(found)
        }
        return found
    }

    private func entitled(_ program: OpenExecutable) -> FileProtection? {
        guard case .valid(let signature) = check.finding(on: program).signature else { return nil }
        return signature.statement.entitlements.defaultProtection.flatMap { FileProtection(rawValue: $0) }
    }
}
