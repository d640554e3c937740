import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import SecurityTesting
import Testing

@testable import LatchkeyVolume

/// A volume on a virtual device with the passcode 1234, without FUSE. Gone with the test.
final class VolumeStage {
    let device: VirtualDevice
    let keychain: any Keychain
    /// The directory that stores the volume.
    let storage: String
    private let folder: String
    private var opened: Volume?

    var volume: Volume {
        guard let opened else { preconditionFailure("the volume is open") }
        return opened
    }

    init(_ protection: FileProtection = .completeUntilFirstUserAuthentication) throws {
        device = try VirtualDevice()
        try device.setPasscode("1234")
        keychain = try device.run { try CurrentKeychain.keychain() }
        var template = Array("/tmp/latchkey-volume.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        storage = folder + "/store"
        try #require(mkdir(storage, 0o700) == 0)
        try Volume.create(in: storage, keychain, defaultProtection: protection)
        try open()
    }

    deinit {
        opened?.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A path beside the store.
    func beside(_ name: String) -> String { folder + "/" + name }

    func close() {
        opened?.close()
        opened = nil
    }

    func open(isReadOnly: Bool = false) throws {
        opened = try Volume(storedIn: storage, keychain, isReadOnly: isReadOnly)
    }

    /// Reads the written content from the store again.
    func reopen() throws {
        close()
        try open()
    }

    /// Follows the lock of the device, as a mount does.
    func follow() {
        volume.follow { _ in }
    }

    /// The path of the stored entry of a path in the volume.
    func stored(_ path: String) throws -> String {
        var stored = storage + "/content"
        var number = Volume.rootNumber
        for part in path.split(separator: "/") {
            let place = try volume.place(number, EntryName(Array(part.utf8)))
            stored += "/" + String(decoding: place.name.entry.bytes, as: UTF8.self)
            number = (try? volume.lookup(number, EntryName(Array(part.utf8))).node.number) ?? 0
        }
        return stored
    }

    /// The entries of a stored directory.
    func entries(_ path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: try stored(path)).sorted()
    }
}

/// A volume by paths. Numbers are looked up and never forgotten.
extension Volume {
    static let caller = VolumeCaller(user: getuid(), group: getgid())

    func parent(_ path: String) throws -> (UInt64, EntryName) {
        let parts = path.split(separator: "/")
        let name = try #require(parts.last)
        return (try number(parts.dropLast().joined(separator: "/")), try EntryName(Array(name.utf8)))
    }

    func number(_ path: String) throws -> UInt64 {
        var number = Self.rootNumber
        for part in path.split(separator: "/") {
            number = try lookup(number, EntryName(Array(part.utf8))).node.number
        }
        return number
    }

    /// Makes a file with a handle that stays open.
    @discardableResult
    func make(
        _ path: String, _ text: String = "", protection: FileProtection? = nil, permissions: UInt32 = 0o600
    ) throws -> UInt64 {
        let (parent, name) = try parent(path)
        let made = try makeFile(parent, name, permissions: permissions, by: Self.caller, protection: protection)
        if !text.isEmpty { try write(made.node.number, Array(text.utf8)) }
        return made.node.number
    }

    /// Makes a file and closes it.
    @discardableResult
    func store(
        _ path: String, _ text: String = "", protection: FileProtection? = nil, permissions: UInt32 = 0o600
    ) throws -> UInt64 {
        let number = try make(path, text, protection: protection, permissions: permissions)
        try flush(number)
        release(number)
        return number
    }

    @discardableResult
    func makeDirectory(_ path: String, permissions: UInt32 = 0o700) throws -> UInt64 {
        let (parent, name) = try parent(path)
        return try makeDirectory(parent, name, permissions: permissions, by: Self.caller).node.number
    }

    func write(_ number: UInt64, _ bytes: [UInt8], at offset: UInt64 = 0) throws {
        try bytes.withUnsafeBytes { try write(number, at: offset, from: $0) }
    }

    /// Reads through a handle that is open.
    func read(_ number: UInt64, count: Int = 1 << 16, at offset: UInt64 = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try self.read(number, at: offset, into: $0) }
        return Array(bytes[..<read])
    }

    /// Opens, reads and closes a file.
    func text(_ path: String) throws -> String {
        let number = try number(path)
        try open(number, flags: O_RDONLY)
        defer { release(number) }
        return String(decoding: try read(number), as: UTF8.self)
    }

    func names(_ path: String = "") throws -> [String] {
        try entries(try number(path)).map { String(decoding: $0.name.bytes, as: UTF8.self) }.sorted()
    }

    func move(_ path: String, to newPath: String, flags: UInt32 = 0) throws {
        let ((parent, name), (newParent, newName)) = (try parent(path), try self.parent(newPath))
        try move(parent, name, to: newParent, newName, flags: flags)
    }

    func remove(_ path: String) throws {
        let (parent, name) = try parent(path)
        try remove(parent, name)
    }

    func removeDirectory(_ path: String) throws {
        let (parent, name) = try parent(path)
        try removeDirectory(parent, name)
    }

    func permissions(_ path: String) throws -> UInt32 {
        try attributes(try number(path)).status.st_mode & 0o7777
    }
}

/// Bytes of files that the test handles itself.
enum StoredFile {
    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private static func opened(_ path: String) throws -> OwnedDescriptor {
        let number = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw VolumeFailure.ofLastCall }
        return OwnedDescriptor(owning: number)
    }

    static func attributeNames(_ path: String) throws -> [String] { try opened(path).attributeNames() }

    static func attribute(_ path: String, _ name: String) throws -> [UInt8] {
        try #require(try opened(path).attribute(name))
    }

    static func setAttribute(_ path: String, _ name: String, _ value: [UInt8]) throws {
        try opened(path).setAttribute(name, value)
    }

    static func removeAttribute(_ path: String, _ name: String) throws { try opened(path).removeAttribute(name) }
}
