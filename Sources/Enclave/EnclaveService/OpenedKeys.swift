import LatchkeyAccessControl
import LatchkeyEnclaveCore
import Synchronization

/// The enclave's own keys that were opened under the class keys that are loaded now. Forgotten when those change; who
/// may use a key is judged at every use.
final class OpenedKeys: Sendable {
    struct Opened: Sendable {
        let blob: EnclaveKeyBlob
        let key: OpenKey
    }

    private struct Kept {
        var epoch: UInt64
        var keys: [[UInt8]: Opened] = [:]
    }

    static let limit = 256

    private let kept: Mutex<Kept>

    init(epoch: UInt64) {
        kept = Mutex(Kept(epoch: epoch))
    }

    /// What these bytes opened to in this epoch.
    func key(of blob: [UInt8], in epoch: UInt64) -> Opened? {
        kept.withLock { $0.epoch == epoch ? $0.keys[blob] : nil }
    }

    /// Does nothing if the epoch in which it was opened is over.
    func keep(_ opened: Opened, for blob: [UInt8], in epoch: UInt64) {
        // A key with an application password would be usable without it.
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

    /// Other class keys are loaded from now on.
    func forgetAll(beginning epoch: UInt64) {
        kept.withLock { $0 = Kept(epoch: epoch) }
    }

    var testOnlyCount: Int { kept.withLock { $0.keys.count } }
}
