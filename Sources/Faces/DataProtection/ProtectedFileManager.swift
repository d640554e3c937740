public import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

/// A `FileManager` that knows the classes of files: hand it to code that takes one, or call it where iOS code calls
/// `FileManager.default`.
///
/// Contents, attributes and new files are those of protected files. Everything else is Foundation's own: files are copied, moved,
/// linked and removed without their keys, and keep their class. Like every opening of a file, that of its attributes ends the
/// locks of `fcntl` that this process has on it.
open class ProtectedFileManager: FileManager, @unchecked Sendable {
    // Sendable like its superclass: it has no state of its own.

    private static let shared = ProtectedFileManager()

    open override class var `default`: FileManager { shared }

    open override func contents(atPath path: String) -> Data? {
        try? ProtectedFileSystem().contents(of: absolute(path, .read))
    }

    /// Makes a file of the class that the attributes name under `.protectionKey`, else of that of its directory, or
    /// of the volume that it is on.
    open override func createFile(
        atPath path: String, contents data: Data?, attributes: [FileAttributeKey: Any]? = nil
    ) -> Bool {
        do {
            let path = try absolute(path, .write)
            var rest = attributes ?? [:]
            let named = try Self.takeProtection(from: &rest, path)
            let options: Data.WritingOptions = [named.map { Data.WritingOptions($0) } ?? [], .atomic]
            try ProtectedFileSystem().write(data ?? Data(), to: path, options: options)
            if !rest.isEmpty { try super.setAttributes(rest, ofItemAtPath: path) }
            return true
        } catch {
            return false
        }
    }

    /// The attributes with the class under `.protectionKey` and, of a protected file, the size of its content.
    open override func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] {
        var attributes = try super.attributesOfItem(atPath: path)
        let place = try absolute(path, .read)
        try reporting(.read, place) {
            switch attributes[.type] as? FileAttributeType {
            case .typeDirectory?:
                let protection = DirectoryProtection.own(ofDirectoryAt: place)
                attributes[.protectionKey] = protection.map { FileProtectionType($0) }
            case .typeRegular?:
                // A file that may not be read has its other attributes.
                guard let descriptor = try? OwnedDescriptor(opening: place, O_RDONLY) else { return }
                attributes[.protectionKey] = try? StoredProtection(of: descriptor).protection.map {
                    FileProtectionType($0)
                }
                if let envelope = try? descriptor.envelope() { attributes[.size] = envelope.length }
            default: break
            }
        }
        return attributes
    }

    /// Sets the class that stands under `.protectionKey`, and the other attributes as Foundation does.
    open override func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {
        var rest = attributes
        let place = try absolute(path, .write)
        try reporting(.write, place) {
            guard let protection = try Self.takeProtection(from: &rest, place)?.protection else { return }
            try ProtectedFileSystem().vault.setProtection(protection, ofItemAt: place)
        }
        if !rest.isEmpty { try super.setAttributes(rest, ofItemAtPath: path) }
    }

    open override func createDirectory(
        atPath path: String, withIntermediateDirectories createIntermediates: Bool,
        attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        var rest = attributes ?? [:]
        let place = try absolute(path, .write)
        let named = try reporting(.write, place) { try Self.takeProtection(from: &rest, place)?.protection }
        let isThere = StoredProtection.isDirectory(place)
        try super.createDirectory(
            atPath: path, withIntermediateDirectories: createIntermediates, attributes: rest.isEmpty ? nil : rest)
        // A directory that is there keeps its class, like its other attributes.
        guard !isThere, let named else { return }
        try reporting(.write, place) { try DirectoryProtection.set(named, ofDirectoryAt: place) }
    }

    /// Takes the class out of attributes; nil if they name none.
    private static func takeProtection(
        from attributes: inout [FileAttributeKey: Any], _ path: String
    ) throws -> FileProtectionType? {
        guard let value = attributes.removeValue(forKey: .protectionKey) else { return nil }
        let type = value as? FileProtectionType ?? FileProtectionType(rawValue: String(describing: value))
        _ = try type.known(path)
        return type
    }
}

extension Data.WritingOptions {
    fileprivate init(_ type: FileProtectionType) {
        switch type.protection {
        case .complete?: self = .completeFileProtection
        case .completeUnlessOpen?: self = .completeFileProtectionUnlessOpen
        case .completeUntilFirstUserAuthentication?: self = .completeFileProtectionUntilFirstUserAuthentication
        case FileProtection.none?: self = .noFileProtection
        case nil: self = []
        }
    }
}
