import Glibc
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
package import LatchkeyEncoding
import LatchkeyFileAccess
package import LatchkeyKeybag

/// The description of a volume, in the file `latchkey-volume` of its storing directory. `Docs/Formats/volume.md` has the
/// bytes.
package struct VolumeDescription: Sendable, Equatable {
    static let fileName = FileName("latchkey-volume")
    /// Of the directory with the entries of the root.
    static let contentName = FileName("content")
    static let byteCount = 512
    private static let magic = Array("LKVL".utf8)
    private static let version: UInt32 = 1
    private static let checksumByteCount = 16
    private static let keyOffset = 32
    private static let maximumKeyByteCount = 256

    /// Random; also of the root directory, and the file that the volume's key belongs to.
    package let identifier: FileIdentifier
    /// The class of files in directories that have none.
    package var defaultProtection: FileProtection
    /// The key of the names, of class ``FileProtection/none``.
    let wrappedKey: [UInt8]

    /// The reason why a description was refused.
    package enum Failure: Error, Sendable, Equatable {
        case notAVolume
        case newerVersion(UInt32)
        case damaged
        /// The system did not let it be read. It says nothing of the description.
        case unreadable(StorageObstacle)
    }

    func encoded() -> [UInt8] {
        var bytes = Self.magic + withUnsafeBytesOf(Self.version.bigEndian)
        bytes += identifier.bytes + [defaultProtection.keyClass.rawValue, 0]
        bytes += withUnsafeBytesOf(UInt16(wrappedKey.count).bigEndian)
        bytes += [UInt8](repeating: 0, count: Self.keyOffset - bytes.count) + wrappedKey
        bytes += [UInt8](repeating: 0, count: Self.byteCount - Self.checksumByteCount - bytes.count)
        return bytes + sha256(bytes).prefix(Self.checksumByteCount)
    }

    init(identifier: FileIdentifier, defaultProtection: FileProtection, wrappedKey: [UInt8]) {
        precondition(wrappedKey.count <= Self.maximumKeyByteCount, "a wrapped key of a file is short")
        self.identifier = identifier
        self.defaultProtection = defaultProtection
        self.wrappedKey = wrappedKey
    }

    init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.starts(with: Self.magic) else { throw .notAVolume }
        let end = Self.byteCount - Self.checksumByteCount
        guard bytes.count == Self.byteCount, sha256(Array(bytes[..<end])).starts(with: bytes[end...]) else {
            throw .damaged
        }
        let version = bytes[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard version == Self.version else { throw .newerVersion(version) }
        let keyCount = Int(bytes[26]) << 8 | Int(bytes[27])
        guard let identifier = FileIdentifier(Array(bytes[8..<24])),
            let protection = KeyClass(rawValue: bytes[24])?.fileProtection, keyCount <= Self.maximumKeyByteCount
        else { throw .damaged }
        self.init(
            identifier: identifier, defaultProtection: protection,
            wrappedKey: Array(bytes[Self.keyOffset..<Self.keyOffset + keyCount]))
    }

    /// Reads the description in a directory.
    static func read(from directory: BackingDirectory) throws(Failure) -> VolumeDescription {
        let bytes: [UInt8]
        do throws(VolumeFailure) {
            bytes = try directory.read(fileName, limit: byteCount)
        } catch {
            switch error.number {
            case ENOENT: throw .notAVolume
            case EFBIG: throw .damaged
            default: throw .unreadable(StorageObstacle(systemError: error.number))
            }
        }
        return try VolumeDescription(bytes)
    }
}

private func withUnsafeBytesOf(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
}
