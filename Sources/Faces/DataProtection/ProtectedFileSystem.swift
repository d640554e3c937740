import Foundation
import Glibc
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

    /// Returns what a file says of itself; nil for a file in clear. Needs no key, and is not authenticated.
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
        // A file that cannot be read here must not get a weaker class.
        if FileIdentity(ofFileAt: path) != nil, let replaced = try protection(ofItemAt: path) { return replaced }
        return DirectoryProtection.inherited(byItemAt: path) ?? .completeUntilFirstUserAuthentication
    }

    /// Reads a whole file, protected or in clear.
    func contents(of path: String) throws -> Data {
        for _ in 0..<Self.attempts {
            switch try vault.openAny(path, forWriting: false) {
            case .protected(let file): return try file.contents()
            case .clear(let descriptor):
                let data = try descriptor.contents()
                // Protected in place while it was read.
                if try !descriptor.isProtected { return data }
            }
        }
        throw AccessFailure.inUse
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
    ///
    /// - Parameter expected: the file that must still be in that place; nil for any.
    /// - Returns: false if another one is there.
    @discardableResult
    private func replace(
        _ path: String, with data: Data, _ protection: FileProtection, ifStill expected: FileIdentity? = nil
    ) throws -> Bool {
        let target = try FilePath.real(path)
        var former = stat()
        let isThere = unsafe stat(target, &former) == 0
        guard !isThere || former.st_mode & S_IFMT == S_IFREG else {
            throw AccessFailure.system(call: "open", errno: former.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        let folder = URL(fileURLWithPath: target).deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(".latchkey-\(UUID().uuidString)").path
        do {
            try vault.emptied(temporary, isNew: true, permissions: isThere ? 0o600 : Self.permissions, protection)
                .fill(with: data)
            if isThere {
                // Only root can give files away.
                _ = unsafe chown(temporary, former.st_uid, former.st_gid)
                _ = unsafe chmod(temporary, former.st_mode & 0o777)
            }
            guard expected == nil || FileIdentity(ofFileAt: target) == expected else {
                unsafe unlink(temporary)
                return false
            }
            try FilePath.move(temporary, inPlaceOf: target)
            return true
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
        for _ in 0..<Self.attempts {
            switch try vault.openAny(path, forWriting: true) {
            case .protected(let file): return try file.setProtection(protection)
            case .clear(let descriptor):
                // Locked until its place is taken: no other call of this module writes into the file that goes.
                let (data, identity) = (try descriptor.contents(), try descriptor.identity())
                let isReplaced = try withExtendedLifetime(descriptor) {
                    try replace(path, with: data, protection, ifStill: identity)
                }
                if isReplaced { return }
            }
        }
        throw AccessFailure.inUse
    }

    /// The number of times that a file may change under a call.
    private static let attempts = 8
}
