import DataProtection
import Foundation
import GRDBSQLite
import Glibc
import LatchkeyDevice
import LatchkeyTestSupport
import ProtectedSQLite
import Security
import Testing

@Suite("One lock of the device closes all that it protects", .needsVolumes)
struct OneLockTests {
    /// An item, a file, a database and a file on a volume, all of the classes that a lock closes, on one daemon's device.
    private final class Parts {
        enum Part: CaseIterable { case item, newItem, file, openFile, database, volume, openOnVolume }

        /// True if it is there, false if the device is locked for it; throws for everything else.
        struct Unexpected: Error { let part: Part, code: Int }

        let stage: MountStage
        let url: URL
        private let handle: ProtectedFileHandle
        private var database: OpaquePointer?
        private let onVolume: FileHandleNumber
        private var number = 0

        init(_ stage: MountStage) throws {
            self.stage = stage
            url = URL(fileURLWithPath: stage.directory + "/letter")
            #expect(SecItemAdd(Self.item("first", with: Data("secret".utf8)), nil) == errSecSuccess)
            handle = try ProtectedFileHandle(forCreating: url, protection: .complete)
            try handle.write(contentsOf: Data("letter".utf8))
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FILEPROTECTION_COMPLETE
            let opened = ProtectedSQLite.sqlite3_open_v2(stage.directory + "/a.db", &database, flags, nil)
            onVolume = try FileHandleNumber(stage.path("diary"), O_RDWR | O_CREAT | O_EXCL)
            try #require(opened == SQLITE_OK)
            try #require(run("PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)") == SQLITE_OK)
            try onVolume.write(Array("diary".utf8))
        }

        deinit {
            sqlite3_close(database)
        }

        private func run(_ sql: String) -> Int32 {
            sqlite3_exec(database, sql, nil, nil, nil) & 0xff
        }

        private static func item(_ account: String, with data: Data? = nil) -> CFDictionary {
            var item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]
            if let data {
                item[kSecValueData] = data
                item[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
            } else {
                item[kSecReturnData] = true
            }
            return item as CFDictionary
        }

        func isOpen(_ part: Part) throws -> Bool {
            number += 1
            switch part {
            case .item:
                var found: CFTypeRef?
                return try isOpen(part, SecItemCopyMatching(Self.item("first"), &found))
            case .newItem: return try isOpen(part, SecItemAdd(Self.item("\(number)", with: Data([1])), nil))
            case .file:
                return try isOpen(part) { () throws in
                    try #require(try Data(contentsOfProtected: url).starts(with: Data("letter".utf8)))
                }
            case .openFile:
                return try isOpen(part) { () throws in
                    try handle.seek(toOffset: 6)
                    try handle.write(contentsOf: Data("\(number)".utf8))
                }
            case .database:
                // A transaction that the lock stops gets a code of another family.
                let code = run("INSERT INTO t VALUES (\(number))")
                guard [SQLITE_OK, SQLITE_AUTH, SQLITE_IOERR].contains(code) else {
                    throw Unexpected(part: part, code: Int(code))
                }
                return code == SQLITE_OK
            case .volume:
                return try isOpen(part, FileHandleNumber.failure { _ = try FileHandleNumber(stage.path("diary")) })
            case .openOnVolume:
                return try isOpen(part, FileHandleNumber.failure { try onVolume.write([65], at: 5) })
            }
        }

        private func isOpen(_ part: Part, _ code: OSStatus) throws -> Bool {
            guard code == errSecSuccess || code == errSecInteractionNotAllowed else {
                throw Unexpected(part: part, code: Int(code))
            }
            return code == errSecSuccess
        }

        private func isOpen(_ part: Part, _ code: POSIXErrorCode?) throws -> Bool {
            guard code == nil || code == .EPERM else { throw Unexpected(part: part, code: Int(code?.rawValue ?? 0)) }
            return code == nil
        }

        private func isOpen(_ part: Part, _ body: () throws -> Void) throws -> Bool {
            do {
                try body()
                return true
            } catch let error as CocoaError where [.fileReadNoPermission, .fileWriteNoPermission].contains(error.code) {
                return false
            }
        }

        func open() throws -> Set<Part> { Set(try Part.allCases.filter { try isOpen($0) }) }
    }

    @Test(
        "none within the grace period, and each of them at its end", arguments: ["at its end", "by a lock without it"])
    func parts(_ ending: String) throws {
        let stage = try MountStage(fileClass: "A")
        let endsByItself = ending == "at its end"
        let keychain = RemoteKeychain(socketPath: stage.device.directory + "/run/keychain.sock")
        try CurrentKeychain.$scoped.withValue(keychain) {
            let parts = try Parts(stage)
            let all = Set(Parts.Part.allCases)
            #expect(try parts.open() == all)
            // Nothing can be said of a period that ends by itself until it has ended.
            let grace = "configure --grace \(endsByItself ? "0.2" : "3600")"
            try #require(try stage.device(grace, input: "246810\n").status == 0)
            try #require(try stage.device("lock").status == 0)
            if !endsByItself {
                #expect(try parts.open() == all)
                try #require(try stage.device("lock --now").status == 0)
                // The enclave has no keys any more: nothing is opened, even by a program that has not heard of the lock.
                for part in [Parts.Part.item, .newItem] { #expect(try !parts.isOpen(part)) }
            }
            var left = all
            var failure: (any Error)?
            eventually {
                do { left = try left.filter { try parts.isOpen($0) } } catch { failure = error }
                return left.isEmpty || failure != nil
            }
            #expect(failure == nil)
            #expect(try parts.open() == [])
            try stage.unlock()
            #expect(try parts.open() == all)
        }
        try stage.remount()
        #expect(try FileHandleNumber.content(stage.path("diary")) == Array("diaryA".utf8))
    }
}
