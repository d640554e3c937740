import CLatchkeyShims
import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test for root alone. For every other user it is skipped, with a line that says how to run it.
    /// - Parameters:
    ///   - purpose: why, for instance "mount a file system".
    ///   - isPossible: false where root lacks the right, as in many containers.
    package static func needsRoot(
        to purpose: String, if isPossible: @autoclosure @escaping @Sendable () -> Bool = true
    ) -> Self {
        right(to: purpose) { geteuid() == 0 && isPossible() }
    }

    /// Runs a test where a file system can be mounted.
    package static var needsMounts: Self { needsRoot(to: "mount a file system", if: SmallDisk.isAvailable) }

    /// Runs a test where volumes can be mounted. Every user can, but in containers that keep the device to root.
    package static var needsVolumes: Self { right(to: "open /dev/fuse") { access("/dev/fuse", R_OK | W_OK) == 0 } }

    /// Runs a test where the connection of a volume can be ended: for users where the kernel's list of them is mounted.
    package static var needsConnectionEnds: Self {
        right(to: "end the connection of a volume") {
            geteuid() == 0 || lk_fuse_connections_are_listed("/sys/fs/fuse/connections") != 0
        }
    }

    private static func right(to purpose: String, _ isThere: @escaping @Sendable () -> Bool) -> Self {
        // Scripts/test counts the second text.
        let reason =
            geteuid() == 0
            ? "needs a root who may \(purpose), as in containers only some may"
            : "needs root, to \(purpose): sudo env \"PATH=$PATH\" Scripts/test"
        return .enabled(if: isThere(), Comment(rawValue: reason))
    }
}
