import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyKeychainMessages

/// The layout of a device on disk, and the rule that it belongs to its owner alone.
package struct DeviceDirectory: Sendable, Hashable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    package var enclave: String { path + "/enclave" }
    package var keychain: String { path + "/keychain" }
    package var run: String { path + "/run" }
    package var lock: String { path + "/device.lock" }
    package var keychainSocket: String { run + "/keychain.sock" }
    package var enclaveSocket: String { run + "/enclave.sock" }
    package var transportSocket: String { run + "/transport.sock" }
    package var daemonProcessFile: String { run + "/latchkeyd.pid" }
    package var enclaveProcessFile: String { run + "/latchkey-enclave.pid" }
    package var signatures: String { path + "/signatures" }
    /// Where signatures lie that are in no program: the device's own, and the machine's.
    package var signatureDirectories: [String] { [signatures, SignatureFile.systemDirectory] }

    /// True if a device was ever made here. An empty directory does not hold a device.
    package var holdsDevice: Bool {
        [lock, enclave, keychain].contains { FileManager.default.fileExists(atPath: $0) }
    }

    /// Creates missing directories with mode 0700; refuses those that other users can enter, with the command that
    /// fixes it.
    ///
    /// - Parameter hasEnclave: false if the enclave keeps its files elsewhere, under another user.
    package func prepare(hasEnclave: Bool = true) throws(DeviceFailure) {
        for directory in [path] + (hasEnclave ? [enclave] : []) + [keychain, run] { try Self.prepare(directory) }
    }

    private static func prepare(_ directory: String) throws(DeviceFailure) {
        if let number = PrivateFolder.make(directory) {
            throw DeviceFailure(
                .storage,
                unsafe "The directory \(directory) cannot be made: \(String(cString: strerror(number))). "
                    + "Choose another device directory, or make its parent writable.")
        }
        var information = stat()
        guard unsafe lstat(directory, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw DeviceFailure(.storage, "\(directory) is not a directory. Move it away, then start again.")
        }
        guard information.st_uid == geteuid() else {
            throw DeviceFailure(
                .unsafePermissions,
                "\(directory) belongs to user \(information.st_uid), not to this one (\(geteuid())). Fix it with: "
                    + "chown -R \(geteuid()) '\(directory)'")
        }
        guard information.st_mode & 0o077 == 0 else {
            throw DeviceFailure(
                .unsafePermissions,
                "Others can enter \(directory) (mode \(String(information.st_mode & 0o777, radix: 8))). Fix it with: "
                    + "chmod 700 '\(directory)'")
        }
    }
}
