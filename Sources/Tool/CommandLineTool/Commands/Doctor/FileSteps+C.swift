import CLatchkeyShims
import Glibc
import LatchkeyFileAccess
import LatchkeyVolume

/// The checks of what protected files need of the system.
enum FileSteps {
    private static let mountProgram = "fusermount3"

    static func steps() -> [InstallationStep] {
        [attributes(), fuse(), volumes()]
    }

    private static func attributes() -> InstallationStep {
        let home = home
        var value: UInt8 = 0
        let outcome = unsafe lk_attribute_get(home, DirectoryProtection.attribute, &value, 0)
        return outcome == -Int(EOPNOTSUPP)
            ? InstallationStep(
                "classes of directories", .notice, "\(home) has no extended attributes: new files get the usual class",
                mend: "keep protected files on a file system with user attributes, for instance ext4, XFS or Btrfs")
            : InstallationStep("classes of directories", .ok, "\(home) has extended attributes")
    }

    private static func fuse() -> InstallationStep {
        let lacks = [
            unsafe access("/dev/fuse", R_OK | W_OK) == 0 ? nil : "/dev/fuse cannot be used",
            hasMountProgram ? nil : "\(mountProgram) is not there",
        ].compactMap { $0 }
        if lacks.isEmpty, !VolumeConnection.canBeEnded {
            return InstallationStep(
                "FUSE", .notice,
                "\(VolumeConnection.directory) is not mounted: only root ends a volume whose process is dead",
                mend: "as root: mount -t fusectl fusectl \(VolumeConnection.directory)")
        }
        return lacks.isEmpty
            ? InstallationStep("FUSE", .ok, "/dev/fuse and \(mountProgram) are there")
            : InstallationStep(
                "FUSE", .notice, lacks.joined(separator: ", ") + ": no volume can be mounted",
                mend: "apt install fuse3, and load the kernel's module fuse")
    }

    private static var hasMountProgram: Bool {
        let directories = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        return directories.split(separator: ":").contains { directory in
            unsafe access("\(directory)/\(mountProgram)", X_OK) == 0
        }
    }

    private static func volumes() -> InstallationStep {
        let paths = MountedVolume.all().map(\.mountPoint)
        return InstallationStep("volumes", .ok, paths.isEmpty ? "none mounted" : paths.joined(separator: ", "))
    }

    private static var home: String {
        if let named = unsafe getenv("HOME") { return unsafe String(cString: named) }
        guard let entry = unsafe getpwuid(geteuid()), let directory = unsafe entry.pointee.pw_dir else { return "/" }
        return unsafe String(cString: directory)
    }
}
