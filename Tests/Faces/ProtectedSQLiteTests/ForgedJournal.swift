import Foundation
import GRDBSQLite

/// A rollback journal that an attacker makes: SQLite would put the pages of another database in the place of the victim's, and
/// then delete the file that the journal names as its super-journal ("The Rollback Journal", SQLite).
enum ForgedJournal {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    private static let pageByteCount = 4096
    private static let nonce: UInt32 = 0x1234
    /// The number of the page that has the locks of files, which a journal never has, stands before a super-journal's name.
    private static let lockPage = UInt32(0x4000_0000 / pageByteCount + 1)

    /// - Parameters:
    ///   - database: the file of a database in clear, of pages of 4096 bytes.
    ///   - superJournal: the path to be deleted.
    static func bytes(restoring database: Data, superJournal: String? = nil) -> Data {
        let count = UInt32(database.count / pageByteCount)
        var bytes = magic
        for number in [count, nonce, count, 512, UInt32(pageByteCount)] { bytes += bigEndian(number) }
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        for index in 0..<Int(count) {
            let page = Array(database.dropFirst(index * pageByteCount).prefix(pageByteCount))
            var sum = nonce
            for place in stride(from: pageByteCount - 200, to: 0, by: -200) { sum &+= UInt32(page[place]) }
            bytes += bigEndian(UInt32(index + 1)) + page + bigEndian(sum)
        }
        if let name = superJournal.map({ Array($0.utf8) }) {
            let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
            bytes += bigEndian(lockPage) + name + bigEndian(UInt32(name.count)) + bigEndian(sum) + magic
        }
        return Data(bytes)
    }

    /// The same journal for a database whose only letter is "forged".
    static func bytes(superJournal: String? = nil) throws -> Data {
        let folder = try DatabaseFolder()
        do {
            let plain = try Connection(folder.file("a.db"), .delete, flags: Connection.plain, vfs: "unix")
            try plain.makeLetters()
            try plain.run("INSERT INTO letter (text) VALUES ('forged')")
        }
        return bytes(
            restoring: try Data(contentsOf: URL(fileURLWithPath: folder.file("a.db"))), superJournal: superJournal)
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
