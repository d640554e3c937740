import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The failures of creating, opening and rewrapping the keys of files.
extension CallFailure {
    /// Returns the failure of a file whose key the enclave did not make or open.
    static func fileKey(_ refusal: KeyRefusal, _ protection: FileProtection) -> CallFailure {
        switch refusal {
        case .locked: .fileLocked(protection)
        case .classKeyMissing, .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword, .deleted:
            CallFailure(FileKeyRefusal.keyNotHere)
        }
    }

    private init(_ refusal: FileKeyRefusal) {
        self.init(refusal.code, refusal.refusal)
    }

    private static func fileLocked(_ protection: FileProtection) -> CallFailure {
        let when =
            protection.keyClass.availability == .fromFirstUnlock
            ? "before the first unlock after a start" : "while the device is locked"
        let acts = protection == .completeUnlessOpen ? "opened" : "opened or created"
        return CallFailure(.interactionNotAllowed, as: .fileClassLocked, protection.rawValue, acts, when)
    }

    /// Returns the class that keeps a key from being rewrapped: the one that needs the lock state the most. Class B takes
    /// keys in every state.
    static func locked(of from: FileProtection, _ to: FileProtection) -> FileProtection {
        let needed = to == .completeUnlessOpen ? [from] : [from, to]
        return needed.first { $0.keyClass.availability == .onlyWhileUnlocked }
            ?? needed.first { $0.keyClass.availability == .fromFirstUnlock } ?? from
    }
}

extension FileKeyRefusal {
    init(_ failure: CallFailure) {
        self.init(failure.code, failure.refusal)
    }
}
