import LatchkeyCryptoSuite
import LatchkeyEncoding

/// The number under which a backup stores a file: SHA-1 of its domain and path, as its index and its payload are called.
package struct FileID: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 20

    private let one: UInt64
    private let two: UInt64
    private let three: UInt32

    /// The keychain's part of every backup.
    package static let keychain = FileID(domain: BackupNames.keychainDomain, path: BackupNames.keychainFile)

    package init(domain: String, path: String) {
        self.init(bytes: DigestAlgorithm.sha1.digest(of: Array(domain.utf8) + [UInt8(ascii: "-")] + path.utf8)[...])
    }

    package init(domain: BackupDomain, path: String) {
        self.init(domain: domain.name, path: path)
    }

    /// - Parameter bytes: ``byteCount`` of them.
    package init(bytes: ArraySlice<UInt8>) {
        precondition(bytes.count == Self.byteCount, "a file ID has its length")
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)].reduce(0) {
                $0 << 8 | UInt64($1)
            }
        }
        one = number(0..<8)
        two = number(8..<16)
        three = UInt32(number(16..<20))
    }

    /// Returns nil for anything but 40 lower-case hexadecimal digits.
    package init?(_ text: String) {
        self.init(digits: Array(text.utf8))
    }

    package init?(digits: [UInt8]) {
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Hexadecimal.value(ofDigit: digits[place]),
                let low = Hexadecimal.value(ofDigit: digits[place + 1]),
                !(0x41...0x5F).contains(digits[place]), !(0x41...0x5F).contains(digits[place + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(bytes: bytes[...])
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: one >> shift))
        }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: two >> shift))
        }
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: three >> shift))
        }
        return bytes
    }

    package var description: String { Hexadecimal.text(bytes) }

    /// The folder of the payload within the backup.
    package var folder: String { String(description.prefix(2)) }
}

/// The names that every backup has.
package enum BackupNames {
    package static let manifest = "Manifest.plist"
    package static let index = "Manifest.db"
    package static let info = "Info.plist"
    package static let status = "Status.plist"
    package static let keychainDomain = BackupDomain.keychain
    package static let keychainFile = "keychain-backup.plist"
    /// The memory of the last run about the files that it read.
    package static let state = "Latchkey.state"
    /// Where a run puts what is to take the place of the last backup.
    package static let snapshot = "Snapshot"
    /// In it: the new backup is whole, and takes the place.
    package static let commit = "commit"
    /// An empty file that readers share, and that a run locks for itself while it moves a new backup to its place.
    package static let lock = "Latchkey.lock"
}
