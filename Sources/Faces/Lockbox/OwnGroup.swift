import Foundation
import Security
import Synchronization

/// The group into which items go that name none, once it is known.
///
/// A search without a group is one in all groups of the program, and so are changes and removals: what is not to be
/// shared names the group that is the program's own.
final class OwnGroup: Sendable {
    private let known = Mutex<String?>(nil)

    func name(service: String) throws(LockboxError) -> String {
        if let name = known.withLock({ $0 }) { return name }
        var status = errSecInteractionNotAllowed
        // Before the first unlock after a start only the second one can be stored.
        for accessibility in [Lockbox.Accessibility.afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly]
        where status == errSecInteractionNotAllowed {
            let probe = Probe(service: service, group: nil, accessibility)
            if let group = probe.group {
                known.withLock { $0 = group }
                return group
            }
            status = probe.status
        }
        throw LockboxError(status == errSecSuccess ? errSecInternal : status, key: "")
    }
}
