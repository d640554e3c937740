import Foundation
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyKeybag

/// Files and directories of the current device, in Foundation's types. Throws ``AccessFailure`` and `DeviceFailure`.
struct ProtectedFileSystem {
    let vault: FileVault

    /// On the device that is current where this is called.
    init() throws {
        vault = FileVault.of(try CurrentKeychain.keychain())
    }

    /// Reads a whole file, protected or in clear.
    func contents(of path: String) throws -> Data {
        try vault.reading(path) { opened in
            switch opened {
            case .protected(let file): try file.contents()
            case .clear(let descriptor): try descriptor.contents()
            }
        }
    }

    /// Writes a whole file, in place or by replacing the file that is there.
    func write(_ data: Data, to path: String, options: Data.WritingOptions) throws {
        let protection = try StoredProtection.ofNewFile(at: path, named: options.protection())
        try unsafe data.withUnsafeBytes { bytes in
            if options.contains(.atomic), !options.contains(.withoutOverwriting) {
                try unsafe vault.replace(path, with: bytes, protection, permissions: Self.permissions)
            } else {
                let isNew = options.contains(.withoutOverwriting)
                let file = try vault.emptiedClassed(path, isNew: isNew, permissions: Self.permissions, protection)
                try unsafe file.fill(with: bytes)
            }
        }
    }

    /// Before the process's mask is applied, as Foundation has it.
    static let permissions: UInt32 = 0o666
}
