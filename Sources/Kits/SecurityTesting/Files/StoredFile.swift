import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

/// A stored file as it shows itself without a key.
struct StoredFile: Sendable {
    let name: String
    /// Empty for a file in clear, and for one whose headers are damaged.
    let envelopes: [FileEnvelope]
    let isProtected: Bool
    let storedByteCount: Int
    /// The first bytes as they are stored.
    let start: [UInt8]
    /// Another one after each change of the file.
    let version: Version

    struct Version: Sendable, Hashable {
        let number: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    var protection: FileProtection? { envelopes.first?.protection }

    var shown: VirtualFile {
        VirtualFile(
            name: name, isProtected: isProtected, protectionName: protection?.rawValue,
            byteCount: envelopes.first.map { Int(clamping: $0.length) } ?? storedByteCount,
            storedByteCount: storedByteCount)
    }

    init(_ name: String, at path: String) throws(AccessFailure) {
        let descriptor = try OwnedDescriptor(opening: path, O_RDONLY)
        let backing = DescriptorBacking(descriptor: descriptor.number)
        let status = try descriptor.status()
        self.name = name
        isProtected = try descriptor.isProtected
        envelopes = isProtected ? (try? FileEnvelope.readable(in: backing)) ?? [] : []
        storedByteCount = Int(status.st_size)
        version = Version(
            number: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        start = unsafe [UInt8](unsafeUninitializedCapacity: Self.startByteCount) { bytes, count in
            count = unsafe max(0, pread(descriptor.number, bytes.baseAddress, bytes.count, 0))
        }
    }

    /// All regular files below a directory, by name. One that vanishes meanwhile, or may not be read, is left out.
    static func all(below directory: URL) -> [StoredFile] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
        return names.sorted().compactMap { name in
            let path = directory.appendingPathComponent(name).path
            var status = stat()
            // A link stands for a file that is listed under its own name, or is elsewhere.
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            return try? StoredFile(name, at: path)
        }
    }

    private static let startByteCount = 32
}

extension FileEnvelope {
    var protection: FileProtection? { KeyClass(rawValue: protectionClass)?.fileProtection }
}
