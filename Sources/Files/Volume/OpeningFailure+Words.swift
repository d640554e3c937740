import LatchkeyEncoding
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeychainMessages

extension Volume.OpeningFailure {
    /// The reason and the advice, as the end of a sentence about the directory.
    package var reason: String {
        switch self {
        case .description(.notAVolume):
            "it stores no volume. Make one in an empty directory with: latchkey volume create DIR"
        case .description(.newerVersion(let version)):
            "the volume has format \(version), which needs a later version of Latchkey"
        case .description(.damaged):
            "its file latchkey-volume is damaged. Restore that file from a backup: without it no name can be read"
        case .description(.unreadable(let obstacle)):
            "its file latchkey-volume cannot be read: \(obstacle.reason). \(obstacle.advice) Nothing is known to be damaged"
        case .inUse: "another process serves it: it is mounted already"
        case .notEmpty: "there is something in it. A volume is made in an empty directory"
        case .noAttributes:
            "its file system has no extended attributes of users, which a volume needs. Choose a directory on ext4, "
                + "XFS, Btrfs or a tmpfs of Linux 6.6 or later"
        case .access(.refused(let refusal)):
            refusal.refusal.map { "\($0.reason) \($0.advice)" }
                ?? "the device gives out no key (\(refusal.code.rawValue))"
        case .access(let failure): "\(failure)"
        case .system(let number):
            Self.words(StorageObstacle(systemError: number))
        }
    }

    private static func words(_ obstacle: StorageObstacle) -> String {
        "\(obstacle.reason). \(obstacle.advice.withoutFullStop)"
    }
}
