import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import Synchronization

/// A database in a directory that is gone after the test.
final class DatabaseFile: Sendable {
    let directory: String
    /// The clock, in microseconds since 2001-01-01 00:00:00 UTC.
    let time = Mutex<Int64>(0)

    init() throws {
        var name = Array("/tmp/latchkey-database-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw POSIXError(.EIO) }
        directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var path: String { directory + "/keychain.db" }

    func open() throws -> ItemDatabase {
        try ItemDatabase(path: path) { [self] in time.withLock { $0 } }
    }

    /// Looks into the file, or changes it, behind the back of the code under test.
    func raw<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }

    deinit {
        _ = try? FileManager.default.removeItem(atPath: directory)
    }
}

/// A row whose contents follow from `number`. Its persistent reference is that of a row from elsewhere.
func row(
    _ number: Int, in itemClass: ItemClass = .genericPassword, group: String = "g", keyClass: UInt8 = 6,
    sync: Bool = false, tombstone: Bool = false, tokens: [AttributeName: [UInt8]] = [:], secretByteCount: Int = 32,
    rowID: Int64? = nil
) -> ItemRow {
    let place = Dictionary(
        uniqueKeysWithValues: zip(placeAttributes(of: itemClass), [token(number, 6), token(number, 7)]))
    return ItemRow(
        rowID: rowID ?? Int64(number) + 1, itemClass: itemClass, accessGroup: group, keyClass: keyClass,
        isSynchronizable: sync, isTombstone: tombstone,
        creationDate: Int64(number), modificationDate: Int64(number) + 1, identifier: token(number, 1),
        syncIdentifier: token(number, 2), primaryKey: token(number, 3), tokens: place.merging(tokens) { $1 },
        binding: .withSecret, sealedAttributes: token(number, 4),
        sealedSecret: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: secretByteCount),
        wrappedItemKey: token(number, 5))
}

/// The attributes of a class whose tokens are always set.
private func placeAttributes(of itemClass: ItemClass) -> [AttributeName] {
    switch itemClass {
    case .genericPassword: [.service, .account]
    case .internetPassword: [.server, .account]
    case .certificate, .identity: [.issuer, .serialNumber]
    case .key: [.applicationLabel, .applicationTag]
    }
}

let allTables: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

/// 16 bytes that follow from a number and what they are for.
func token(_ number: Int, _ use: UInt8) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + [UInt8](repeating: use, count: 8)
}

/// A team whose contents follow from `number`: the odd ones are revoked and never expire.
func team(_ number: Int) -> TeamRow {
    let isOdd = !number.isMultiple(of: 2)
    return TeamRow(
        identifier: "TEAM\(number)", key: [4] + token(number, 10), name: "Team \(number), ünïcode",
        trusted: Int64(number), expires: isOdd ? nil : Int64(number) + 100, revoked: isOdd ? Int64(number) + 50 : nil)
}

/// An app whose contents follow from `number`: the odd ones are not signed.
func app(_ number: Int, lastSeen: Int64? = nil) -> AppRow {
    let isOdd = !number.isMultiple(of: 2)
    return AppRow(
        application: isOdd ? "/opt/app\(number)" : "TEAM\(number).app", team: isOdd ? nil : "TEAM\(number)",
        level: isOdd ? "C" : "B", groups: token(number, 11), digest: token(number, 13), path: "/opt/app\(number)",
        firstSeen: Int64(number), lastSeen: lastSeen ?? Int64(number) + 1)
}

extension ItemDatabase {
    func identifiers(_ filter: RowFilter = RowFilter(itemClass: .genericPassword), limit: Int = 1000) throws
        -> [[UInt8]]
    {
        try read { try $0.rows(matching: filter, limit: limit, withSecret: false) }.map(\.identifier)
    }
}

/// An error that no layer below throws.
struct Refused: Error {}

/// Values that several threads collect.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func append(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
}
