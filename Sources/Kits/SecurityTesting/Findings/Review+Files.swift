import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag

extension Review {
    static let usedWhileLocked = Flaw(
        kind: .openWhileLocked, of: .fileHandle,
        reason:
            "A file of class complete was used through an open handle while the device was locked, which is refused.",
        advice: "Choose completeUnlessOpen for a file that is written in the background; else close it when protected "
            + "data becomes unavailable.")

    static let openAfterGrace = Flaw(
        kind: .openWhileLocked, of: .fileHandle,
        reason: "A file of class complete was still open at the end of the grace period of a lock.",
        advice:
            "Close it when protected data becomes unavailable (ProtectedDataCenter, ProtectedDataEvents), or choose "
            + "completeUnlessOpen.")

    /// The flaws of stored files, each with its file.
    static func flaws(of files: [StoredFile]) -> [(Flaw, StoredFile)] {
        let byName = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return files.compactMap { file in
            // A file of no bytes has nothing to protect, whatever it is for.
            guard file.storedByteCount > 0 else { return nil }
            if let part = DatabasePart(file.name), let database = byName[part.database] {
                // The index of a write-ahead log has numbers of pages, and none of their content.
                if part.kind == .index, !file.isProtected { return nil }
                if let flaw = journal(file, part, of: database) { return (flaw, file) }
            }
            return file.isProtected ? nil : (withoutClass, file)
        }
    }

    /// A class among the options of a call that ignores it; nil if they name none.
    ///
    /// - Parameter path: of the file that was written. On a volume it has the class of its directory, which may be the one
    ///   that the options name.
    static func ignoredClass(_ options: Data.WritingOptions, ofFileAt path: String) -> Flaw? {
        let named: (name: String, protection: FileProtection)
        switch options.intersection(.fileProtectionMask) {
        case .completeFileProtection: named = ("completeFileProtection", .complete)
        case .completeFileProtectionUnlessOpen: named = ("completeFileProtectionUnlessOpen", .completeUnlessOpen)
        case .completeFileProtectionUntilFirstUserAuthentication:
            named = ("completeFileProtectionUntilFirstUserAuthentication", .completeUntilFirstUserAuthentication)
        // A program that wants no protection got what it asked for.
        default: return nil
        }
        let own = (try? OwnedDescriptor(opening: path, O_RDONLY)).flatMap(VolumeProtection.of)
        guard own != named.protection else { return nil }
        let stored = own.map { "has the class \($0.rawValue) of its directory" } ?? "is stored in clear"
        return Flaw(
            kind: .fileWithoutClass, of: .dataWrite,
            reason: "The file \(stored): Foundation on Linux ignores .\(named.name), and reports success.",
            advice: own == nil
                ? "Write it with writeProtected(to:options:) of DataProtection."
                : "Give its directory on the volume that class: latchkey file class --set.")
    }

    private static let withoutClass = Flaw(
        kind: .fileWithoutClass, of: .storedFile,
        reason: "The file is stored in clear. Foundation on Linux ignores the options of Data.write(to:options:) and "
            + "FileAttributeKey.protectionKey, and reports success.",
        advice: "Write it with writeProtected(to:options:), ProtectedFileHandle or ProtectedFileManager.default; "
            + "ProtectedFileManager.default.setAttributes([.protectionKey: …], ofItemAtPath:) protects one that is there."
    )

    /// A journal has the content of the database's pages: the former one, or that which is to come.
    private static func journal(_ file: StoredFile, _ part: DatabasePart, of database: StoredFile) -> Flaw? {
        guard database.isProtected, let expected = database.protection else { return nil }
        let found: String
        if !file.isProtected {
            guard part.isContent(startingWith: file.start) else { return nil }
            found = "in clear"
        } else if let protection = file.protection, protection.rank < expected.rank {
            found = "of class \(protection.rawValue)"
        } else {
            return nil
        }
        return Flaw(
            kind: .unprotectedJournal, of: .storedFile,
            reason:
                "The database \(part.database) is of class \(expected.rawValue), and its journal is \(found): it has the "
                + "content of pages.",
            advice: "Open the database with the class, so that its journals get it, too; a directory with that class "
                + "gives it to every new file.")
    }
}

/// A file that SQLite keeps beside a database.
struct DatabasePart {
    enum Kind: String, CaseIterable {
        case journal = "-journal"
        case log = "-wal"
        case index = "-shm"
    }

    let kind: Kind
    /// The name of the database.
    let database: String

    init?(_ name: String) {
        guard let kind = Kind.allCases.first(where: { name.hasSuffix($0.rawValue) }) else { return nil }
        self.kind = kind
        database = String(name.dropLast(kind.rawValue.count))
    }

    /// "Database File Format", sections 3 and 4: the marks of a rollback journal and of a write-ahead log. A journal that
    /// persists after its transaction has zeros in place of its header, and the pages behind it.
    func isContent(startingWith start: [UInt8]) -> Bool {
        switch kind {
        case .journal:
            start.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
                || start.count > Self.headerByteCount && start.prefix(Self.headerByteCount).allSatisfy { $0 == 0 }
        case .log: start.starts(with: [0x37, 0x7f, 0x06]) && [0x82, 0x83].contains(start.dropFirst(3).first)
        case .index: false
        }
    }

    private static let headerByteCount = 28
}

extension FileProtection {
    /// A class opens in all states in which one of a higher rank does.
    fileprivate var rank: Int {
        switch self {
        case .none: 0
        case .completeUntilFirstUserAuthentication: 1
        case .completeUnlessOpen: 2
        case .complete: 3
        }
    }
}
