import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyThreading

/// A key cache: the enclave keys that were unwrapped under the loaded class keys. It is emptied when those change.
/// Every use of a key is judged, whether the key is cached or not.
final class OpenedKeys: Sendable {
    struct Opened: Sendable {
        let blob: EnclaveKeyBlob
        let key: OpenEnclaveKey
    }

    private struct Kept {
        var epoch: UInt64
        var keys: [[UInt8]: Opened] = [:]
    }

    static let limit = 256

    private let kept: ForkMutex<Kept>

    init(epoch: UInt64) {
        kept = ForkMutex(Kept(epoch: epoch))
    }

    /// Returns the key that was unwrapped from these bytes in this epoch.
    func key(of blob: [UInt8], in epoch: UInt64) -> Opened? {
        kept.withLock { $0.epoch == epoch ? $0.keys[blob] : nil }
    }

    /// Does nothing if the key was unwrapped in an earlier epoch.
    func keep(_ opened: Opened, for blob: [UInt8], in epoch: UInt64) {
        // A cached key would be usable without its application password.
        guard !opened.blob.accessControl.needsApplicationPassword else { return }
        kept.withLock { kept in
            guard kept.epoch == epoch else { return }
            if kept.keys.count >= Self.limit, let one = kept.keys.keys.first { kept.keys[one] = nil }
            kept.keys[blob] = opened
        }
    }

    func forget(_ blobs: [[UInt8]]) {
        kept.withLock { kept in
            for blob in blobs { kept.keys[blob] = nil }
        }
    }

    /// Empties the cache because other class keys are loaded.
    func forgetAll(beginning epoch: UInt64) {
        kept.withLock { $0 = Kept(epoch: epoch) }
    }

    var count: Int { kept.withLock { $0.keys.count } }
}
