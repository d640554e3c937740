import Glibc
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyVolume

/// The directories of devices, and those that store volumes, which no command changes: without the first no protected file can
/// be read, and the files of the second belong to the volume.
struct DeviceFiles {
    private let directory: String

    init(_ device: DeviceAccess) throws(CommandFailure) {
        directory = try device.status().directory
    }

    func excludes(_ candidate: OpenDirectory) -> Bool {
        SameFile.isNamed(by: candidate.ownPath, and: directory) || Self.isDevice(candidate.ownPath)
            || Self.storesVolume(candidate.ownPath)
    }

    /// True if a path is one of the device, or below it.
    func holds(_ path: String) -> Bool {
        var current = FileArgument.absolute(path)
        for _ in 0..<Int(PATH_MAX) {
            if SameFile.isNamed(by: current, and: directory) || Self.isDevice(current)
                || Self.storesVolume(current)
            {
                return true
            }
            guard !SameFile.isNamed(by: current, and: "/") else { return false }
            current = StoredProtection.isDirectory(current) ? current + "/.." : PathText.directory(of: current)
            guard current.utf8.count < Int(PATH_MAX) else { return false }
        }
        return false
    }

    private static func storesVolume(_ path: String) -> Bool {
        (try? Volume.description(storedIn: path)) != nil
    }

    /// A device, or the files of an enclave that are kept elsewhere.
    private static func isDevice(_ path: String) -> Bool {
        let device = DeviceDirectory(path: path)
        func has(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
        return has(device.lock) || has(device.enclave) && has(device.keychain)
            || has(path + "/uid") && has(path + "/effaceable")
    }
}
