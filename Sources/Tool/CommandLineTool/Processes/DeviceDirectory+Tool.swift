import Glibc
package import LatchkeyDevice

extension DeviceDirectory {
    /// The daemon's standard error since it was started last.
    package var daemonLog: String { run + "/latchkeyd.log" }

    package var exists: Bool { unsafe access(path, F_OK) == 0 }
}
