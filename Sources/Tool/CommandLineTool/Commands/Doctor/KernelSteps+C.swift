import CLatchkeyShims
import Glibc

/// The checks of the kernel's features.
enum KernelSteps {
    /// Since Linux 6.5; the headers of Debian 12 do not know it yet.
    private static let peerProcessDescriptor: Int32 = 77

    static func steps() -> [InstallationStep] {
        let landlock = lk_landlock_version()
        let pidfd = hasPeerDescriptors
        return [
            InstallationStep(
                "Landlock", holds: landlock > 0, landlock > 0 ? "version \(landlock)" : "the kernel does not offer it",
                mend: "boot with lsm=landlock,… and a kernel with CONFIG_SECURITY_LANDLOCK (5.13 or newer)"),
            pidfd
                ? InstallationStep("peer descriptors", .ok, "the kernel names peers by descriptor")
                : InstallationStep(
                    "peer descriptors", .notice, "none: peers are told apart by number and start time",
                    mend: "use Linux 6.5 or newer"),
        ]
    }

    private static var hasPeerDescriptors: Bool {
        var ends: [Int32] = [-1, -1]
        guard unsafe lk_socket_pair(&ends, 0) == 0 else { return false }
        defer { ends.forEach { close($0) } }
        var descriptor: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(ends[0], SOL_SOCKET, peerProcessDescriptor, &descriptor, &size) == 0 else {
            return false
        }
        close(descriptor)
        return true
    }
}
