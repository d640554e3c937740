// A mail app keeps the list of its accounts in memory. Its share extension adds one, which the app learns from an event and not by looking again and
// again; then the user's other device deletes one. The app also writes an item on each event, the number of accounts for its badge. Its own
// changes make events as well, so it compares before it writes: otherwise the loop would never come to rest.

import Foundation
import KeychainEvents
import Security
import SecurityTesting

let group = "A1B2C3D4E5.com.example.mail.shared"

struct Accounts {
    private func query(_ account: String? = nil) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail", kSecAttrAccessGroup: group,
            kSecAttrSynchronizable: true,
        ]
        if let account { query[kSecAttrAccount] = account }
        return query
    }

    func add(_ account: String) {
        let item = query(account).merging([kSecValueData: Data("secret".utf8)]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        precondition(status == errSecSuccess, "the account was not added: \(status)")
    }

    func remove(_ account: String) {
        let status = SecItemDelete(query(account) as CFDictionary)
        precondition(status == errSecSuccess, "the account was not removed: \(status)")
    }

    func all() -> [String] {
        var found: CFTypeRef?
        let query = query().merging([kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return [] }
        return (found as? [[CFString: Any]] ?? []).compactMap { $0[kSecAttrAccount] as? String }.sorted()
    }
}

/// A number that the app keeps on this device.
struct Badge {
    private let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "com.example.mail.badge",
    ]

    var number: Int? {
        var found: CFTypeRef?
        let query = query.merging([kSecReturnData: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let data = found as? Data else {
            return nil
        }
        return Int(String(decoding: data, as: UTF8.self))
    }

    /// - Returns: false if there was nothing to write.
    func set(_ number: Int) -> Bool {
        guard self.number != number else { return false }
        let value: [CFString: Any] = [kSecValueData: Data("\(number)".utf8)]
        if SecItemUpdate(query as CFDictionary, value as CFDictionary) == errSecItemNotFound {
            SecItemAdd(query.merging(value) { $1 } as CFDictionary, nil)
        }
        return true
    }
}

/// The accounts that the app shows, and the events that tell it to look again.
struct Screen {
    private let app: VirtualApp
    private var events: KeychainChanges.AsyncIterator
    private(set) var accounts: [String]

    init(_ app: VirtualApp) {
        self.app = app
        // The sequence first, and then the items: a change in between is not overlooked.
        events = app.run { KeychainChanges() }.makeAsyncIterator()
        accounts = app.run { Accounts().all() }
    }

    /// Waits for an event, and looks.
    /// - Returns: false if there was nothing to write.
    mutating func update() async -> Bool {
        guard await events.next() != nil else { preconditionFailure("the device has ended") }
        let found = app.run { Accounts().all() }
        accounts = found
        return app.run { Badge().set(found.count) }
    }
}

func demonstrate() async throws {
    let lab = try SyncLaboratory(devices: ["phone", "laptop"], seed: 11)
    let (phone, laptop) = (lab["phone"], lab["laptop"])
    let team = "A1B2C3D4E5"
    let groups = ["\(team).com.example.mail", group]
    let mail = phone.install("com.example.mail", team: team, keychainAccessGroups: groups)
    let share = phone.install("com.example.mail.share", team: team, keychainAccessGroups: [group])
    let elsewhere = laptop.install("com.example.mail", team: team, keychainAccessGroups: groups)
    var screen = Screen(mail)

    share.run { Accounts().add("anna") }
    // The clock of a virtual device stands still, and an event is due by that clock.
    try phone.advance(by: .seconds(1))
    var hasWritten = await screen.update()
    print("shown:", screen.accounts)
    precondition(screen.accounts == ["anna"] && hasWritten, "the account of the extension is missing")

    try phone.advance(by: .seconds(1))
    hasWritten = await screen.update()
    precondition(!hasWritten, "the event of the app's own change is answered with another change")

    try lab.settle()
    elsewhere.run {
        Accounts().remove("anna")
        Accounts().add("bob")
    }
    try lab.settle()
    try phone.advance(by: .seconds(1))
    _ = await screen.update()
    print("shown:", screen.accounts)
    precondition(screen.accounts == ["bob"], "the change of the other device is missing")
}

try await demonstrate()
