public import Foundation
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The protected files of a virtual device, in a directory that goes with it.
///
/// The code under test writes there with `DataProtection`, inside of `run`; no mount and no daemon is needed.
///
/// ```swift
/// let url = device.files.url("report.pdf")
/// try device.run { try report.writeProtected(to: url, options: .completeFileProtection) }
/// try device.lock()
/// #expect(try !device.files.isReadable("report.pdf"))
/// #expect(try device.files.containing(report.prefix(64)).isEmpty)
/// ```
public struct VirtualFiles: Sendable {
    /// The directory, empty at first. It is removed with the device.
    public let directory: URL
    /// Keeps the device alive while its files are used.
    private let device: VirtualDevice

    init(of device: VirtualDevice) {
        self.device = device
        directory = device.fileReview.directory
    }

    public func url(_ name: String) -> URL {
        directory.appendingPathComponent(name)
    }

    /// The class of new files that name none; nil: `completeUntilFirstUserAuthentication`, as on iOS.
    ///
    /// It is that of the directory, and of the directories below that have none of their own.
    public var defaultProtection: FileProtectionType? {
        DirectoryProtection.own(ofDirectoryAt: directory.path).map { FileProtectionType(rawValue: $0.rawValue) }
    }

    /// Sets ``defaultProtection``. Files that are there keep their class.
    public func setDefaultProtection(_ protection: FileProtectionType) throws(VirtualDeviceError) {
        guard let known = FileProtection(rawValue: protection.rawValue) else {
            throw VirtualDeviceError(
                .storageFailed, "files.setDefaultProtection",
                reason: "\(protection.rawValue) is not a protection class.",
                advice: "Use one of FileProtectionType's constants.", of: device)
        }
        try reporting("setDefaultProtection") { () throws(AccessFailure) in
            try DirectoryProtection.set(known, ofDirectoryAt: directory.path)
        }
    }

    /// All files, by name, with those in directories below. Needs no key.
    public var all: [VirtualFile] { StoredFile.all(below: directory).map(\.shown) }

    /// Returns true if a program that opens the file now can read it: the device gives out its key, or it is in clear.
    ///
    /// Damage of the content is not looked for; files that are open already may be usable all the same.
    public func isReadable(_ name: String) throws(VirtualDeviceError) -> Bool {
        let file = try stored(name, "isReadable")
        guard file.isProtected else { return true }
        _ = try device.ownersKeychain("files.isReadable")
        let keychain = device.anyAppsKeychain
        for envelope in file.envelopes {
            guard let protection = envelope.protection, let identifier = FileIdentifier(envelope.identifier),
                let key = WrappedFileKey(envelope.wrappedKey, of: identifier, protection)
            else { continue }
            do throws(FileKeyRefusal) {
                if case .success? = try keychain.ask(OpenFileKeys([key])).results.first { return true }
            } catch {
                if error.code == .interactionNotAllowed { continue }
                guard error.code == .notAvailable, let refusal = error.refusal else {
                    throw .unexpected("\(error.code.rawValue)", "files.isReadable", of: device)
                }
                throw .unreachable(refusal, "files.isReadable", of: device)
            }
        }
        return false
    }

    /// The bytes of a file as every other program sees them.
    public func storedBytes(of name: String) throws(VirtualDeviceError) -> Data {
        do {
            return try Data(contentsOf: url(name))
        } catch {
            throw failure("storedBytes", error.localizedDescription)
        }
    }

    /// The files in whose stored bytes a text stands as it is: none, if everything is protected.
    ///
    /// Take a text of a dozen bytes or more, which does not occur by chance.
    public func containing(_ plaintext: some Sequence<UInt8>) throws(VirtualDeviceError) -> [VirtualFile] {
        let wanted = Data(plaintext)
        var found: [VirtualFile] = []
        for file in all where try storedBytes(of: file.name).range(of: wanted) != nil { found.append(file) }
        return found
    }

    /// Damages what is stored, as a disk or an attacker would. Close the handles of the file first: they have parts of it
    /// in memory.
    public func damage(_ name: String, _ part: Damage = .content) throws(VirtualDeviceError) {
        let isProtected = try stored(name, "damage").isProtected
        do {
            let file = try FileHandle(forUpdating: url(name))
            try part.apply(to: file, isProtected: isProtected)
            try file.close()
        } catch {
            throw failure("damage", error.localizedDescription)
        }
    }

    private func stored(_ name: String, _ call: String) throws(VirtualDeviceError) -> StoredFile {
        try reporting(call) { () throws(AccessFailure) in try StoredFile(name, at: url(name).path) }
    }

    private func reporting<Value>(
        _ call: String, _ body: () throws(AccessFailure) -> Value
    ) throws(VirtualDeviceError) -> Value {
        do throws(AccessFailure) {
            return try body()
        } catch {
            if case .system(let function, let number) = error {
                throw failure(call, "\(function): \(POSIXError.Code(rawValue: number).map { "\($0)" } ?? "\(number)")")
            }
            throw failure(call, "\(error)")
        }
    }

    private func failure(_ call: String, _ reason: String) -> VirtualDeviceError {
        VirtualDeviceError(
            .storageFailed, "files.\(call)", reason: "The file cannot be used: \(reason).",
            advice: "Name a file below device.files.directory, before the device is closed.", of: device)
    }
}
