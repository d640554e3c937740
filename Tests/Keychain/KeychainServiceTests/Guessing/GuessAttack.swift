import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

@testable import LatchkeyKeychainService

/// An attacker who has the files of a device and not its passcode, and tests guesses. It reads the files by itself, as
/// `Docs/Formats` describes them.
struct GuessAttack {
    private let directory: String
    /// The class keys that open without a passcode: those of class D, and all where there is none.
    private let classKeys: [UInt8: SecretBox]
    private let searchKey: SecretBox

    /// - Parameter directory: that of the device.
    init(_ directory: String) throws {
        self.directory = directory
        let uid = try Self.bytes(directory + "/enclave/uid")[8..<40]
        let effaceable = try Self.bytes(directory + "/enclave/effaceable")[10..<42]
        let file = try Self.bytes(directory + "/enclave/keybag")
        let bag = try AESGCM.open(
            Array(file[8...]), key: SecretBox(copying: Array(effaceable)), associatedData: Array(file[..<8]))
        let deviceKey = HMACSHA256.secret(
            over: Array("latchkey device key".utf8), key: SecretBox(copying: Array(uid)))
        classKeys = Self.classKeys(in: bag.withBytes { Array($0) }, deviceKey)
        let wrapped = try Self.read(directory) {
            try Data.fetchOne($0, sql: "SELECT wrapped FROM devicekeys WHERE name = 'search'")
        }
        guard let key = classKeys[11], let wrapped else { throw POSIXError(.ENOENT) }
        searchKey = try Self.unwrap(wrapped, under: key, use: 3)
    }

    static func read<Value>(_ directory: String, _ body: (Database) throws -> Value) throws -> Value {
        try DatabaseQueue(path: directory + "/keychain/keychain.db").writeWithoutTransaction(body)
    }

    /// The metadata key of a class that opens without a passcode.
    func metadataKey(ofClass number: UInt8) throws -> SecretBox {
        let wrapped = try Self.read(directory) {
            try Data.fetchOne($0, sql: "SELECT wrapped FROM metadatakeys WHERE keyclass = ?", arguments: [number])
        }
        guard let key = classKeys[number], let wrapped else { throw POSIXError(.ENOENT) }
        return try Self.unwrap(wrapped, under: key, use: 2)
    }

    func token(_ table: String, _ column: String, _ value: [UInt8]) -> Data {
        let message = Array(table.utf8) + [0] + Array(column.utf8) + [0] + value
        return Data(HMACSHA256.code(over: message, key: searchKey).prefix(16))
    }

    /// The words that an attacker tries.
    struct Words {
        let accounts: [String]
        let services: [String]
        let secrets: [String]
    }

    /// A secret that a value of the file confirmed.
    struct Hit: Hashable {
        let account: String
        let secret: String
        let token: Data
    }

    /// Tests each word for each generic password, those that ended included.
    /// - Returns: the accounts that were recognised, and the secrets.
    func guess(_ words: Words) throws -> (accounts: Set<String>, hits: Set<Hit>) {
        try Self.read(directory) { db in
            var found: (accounts: Set<String>, hits: Set<Hit>) = ([], [])
            for table in ["genp", "ended_genp"] where try db.tableExists(table) {
                for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table) WHERE tomb = 0") {
                    let values = Set(row.databaseValues.compactMap { Data.fromDatabaseValue($0) })
                    func known(_ words: [String], _ column: String) -> [String] {
                        words.filter { values.contains(token("genp", column, Array($0.utf8))) }
                    }
                    for account in known(words.accounts, "acct") {
                        found.accounts.insert(account)
                        for service in known(words.services, "svce") {
                            for secret in words.secrets {
                                let digest = try Self.digest(row, account, service, secret)
                                let token = token("genp", "sha1", digest)
                                guard values.contains(token) || values.contains(Data(digest)) else { continue }
                                found.hits.insert(Hit(account: account, secret: secret, token: token))
                            }
                        }
                    }
                }
            }
            return found
        }
    }

    /// The names of files of the keychain that contain one of the values.
    func files(with values: some Collection<Data>) throws -> [String] {
        let folder = directory + "/keychain"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            return values.contains { content.range(of: $0) != nil }
        }
    }

    /// The digest of a generic password with nothing but account and service, from the row's values in clear.
    static func digest(_ row: Row, _ account: String, _ service: String, _ secret: String) throws -> [UInt8] {
        guard let protection = KeyClass(rawValue: row["pdmn"])?.protectionClass else { throw POSIXError(.EINVAL) }
        let (created, modified): (Int64, Int64) = (row["cdat"], row["mdat"])
        let item = StoredItem(
            itemClass: .genericPassword, attributes: [.account: .string(account), .service: .string(service)],
            accessGroup: row["agrp"], accessible: protection, accessControl: AccessControl(protection: protection),
            isSynchronizable: row["sync"], creationDate: Double(created) / 1_000_000,
            modificationDate: Double(modified) / 1_000_000, identifier: [])
        return ItemDigest.digest(of: item, secret: SecretBox(copying: Array(secret.utf8)))
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func unwrap(_ wrapped: Data, under key: SecretBox, use: UInt8) throws -> SecretBox {
        let message = Array("latchkey".utf8) + [use, 0, 0, 0, 0]
        return try AESKeyWrap.unwrap(Array(wrapped), with: HMACSHA256.secret(over: message, key: key))
    }

    private static func classKeys(in bag: [UInt8], _ deviceKey: SecretBox) -> [UInt8: SecretBox] {
        var keys: [UInt8: SecretBox] = [:]
        var (place, number, wrap) = (0, UInt8(0), UInt8(0))
        while place + 8 <= bag.count {
            let tag = String(decoding: bag[place..<place + 4], as: UTF8.self)
            let count = bag[place + 4..<place + 8].reduce(0) { $0 << 8 | Int($1) }
            let value = Array(bag[place + 8..<place + 8 + count])
            switch tag {
            case "UUID": (number, wrap) = (0, 0)
            case "CLAS": number = (value.last ?? 0) & 15
            case "WRAP": wrap = value.last ?? 0
            case "WPKY" where wrap == 1: keys[number] = try? AESKeyWrap.unwrap(value, with: deviceKey)
            default: break
            }
            place += 8 + count
        }
        return keys
    }
}
