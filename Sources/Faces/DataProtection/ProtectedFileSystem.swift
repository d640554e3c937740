import Foundation
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

/// Files and directories with classes, for the calls of this module. Throws ``AccessFailure`` and `DeviceFailure`.
struct ProtectedFileSystem {
    let vault: FileVault

    /// On the device that is current where this is called.
    init() throws {
        vault = FileVault.of(try CurrentKeychain.keychain())
    }

    /// Returns the class of a file or directory; nil for a file in clear, and for a directory without a class. Needs no key.
    static func protection(ofItemAt path: String) throws(AccessFailure) -> FileProtection? {
        if isDirectory(path) { return DirectoryProtection.own(ofDirectoryAt: path) }
        return try envelope(ofFileAt: path)?.protection
    }

    /// Returns the length of a file's content; nil for a file in clear. Needs no key, and is not authenticated.
    static func envelope(ofFileAt path: String) throws(AccessFailure) -> FileEnvelope? {
        let descriptor = try OwnedDescriptor(opening: path, O_RDONLY)
        do throws(AccessFailure) {
            return try FileEnvelope.readable(in: DescriptorBacking(descriptor: descriptor.number)).first
        } catch .notProtected {
            return nil
        }
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// The class for a new file: that of the options, of the file that it replaces, of the directory, or the default.
    static func protectionForNewFile(at path: String, options: Data.WritingOptions = []) throws -> FileProtection {
        if let named = try options.protection() { return named }
        if let replaced = try? protection(ofItemAt: path) { return replaced }
        return DirectoryProtection.inherited(byItemAt: path) ?? .completeUntilFirstUserAuthentication
    }

    /// Reads a whole file, protected or in clear.
    func contents(of path: String) throws -> Data {
        do throws(AccessFailure) {
            return try vault.open(path, forWriting: false).contents()
        } catch .notProtected {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
    }

    /// Writes a whole file, in place or by replacing the file that is there.
    func write(_ data: Data, to path: String, options: Data.WritingOptions) throws {
        let protection = try Self.protectionForNewFile(at: path, options: options)
        if options.contains(.atomic), !options.contains(.withoutOverwriting) {
            try replace(path, with: data, protection)
        } else {
            let isNew = options.contains(.withoutOverwriting)
            try vault.emptied(path, isNew: isNew, permissions: Self.permissions, protection).fill(with: data)
        }
    }

    /// Writes a file beside the old one and puts it in its place: after a loss of power one of them is there, whole.
    private func replace(_ path: String, with data: Data, _ protection: FileProtection) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let permissions = (try? OwnedDescriptor(opening: target, O_RDONLY).status().st_mode) ?? Self.permissions
        let temporary = target + ".latchkey-\(UUID().uuidString)"
        do {
            try vault.emptied(temporary, isNew: true, permissions: permissions & 0o777, protection).fill(with: data)
            try OwnedDescriptor.move(temporary, inPlaceOf: target)
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    /// Before the process's mask is applied, as Foundation has it.
    static let permissions: UInt32 = 0o666

    /// Gives a file or directory a class. A file in clear becomes a protected one, in a file that takes its place.
    func setProtection(_ protection: FileProtection, ofItemAt path: String) throws {
        if Self.isDirectory(path) { return try DirectoryProtection.set(protection, ofDirectoryAt: path) }
        do throws(AccessFailure) {
            try vault.open(path, forWriting: true).setProtection(protection)
        } catch .notProtected {
            try replace(path, with: Data(contentsOf: URL(fileURLWithPath: path)), protection)
        }
    }
}

extension FileEnvelope {
    var protection: FileProtection? { FileProtection(keyClassNumber: protectionClass) }
}
