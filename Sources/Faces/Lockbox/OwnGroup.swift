import Foundation
import LatchkeyThreading
import Security

/// The group of items that name none, once it is known.
///
/// A search without a group covers all groups of the program; changes and removals do, too: a box whose values are not
/// shared names the program's own group.
final class OwnGroup: Sendable {
    private let known = ForkMutex<String?>(nil)

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
