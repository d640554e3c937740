// A person buys a new phone and restores the backup of the old one. Items that an app stored as "this device only" stay behind, and
// an app that does not expect that loses its user: this one notices, and asks for a new login.

import Foundation
import Security
import SecurityTesting

enum Login: Equatable {
    case signedIn(String)
    /// The account came along, its token did not: the person signs in again, and keeps everything else.
    case signInAgain(account: String)
    case firstStart
}

func item(_ account: String, _ kind: String) -> [CFString: Any] {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: kind, kSecAttrAccount: account]
}

/// The name moves to a new phone, the token does not.
func signIn(as account: String, token: String) {
    var name = item(account, "account")
    name[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
    var secret = item(account, "token")
    secret[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    secret[kSecValueData] = Data(token.utf8)
    for new in [name, secret] {
        let status = SecItemAdd(new as CFDictionary, nil)
        precondition(status == errSecSuccess, "an item was not added: \(status)")
    }
}

func start() -> Login {
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "account", kSecReturnAttributes: true,
    ]
    var found: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess,
        let account = (found as? [String: Any])?[kSecAttrAccount as String] as? String
    else { return .firstStart }
    var secret = item(account, "token")
    secret[kSecReturnData] = true
    guard SecItemCopyMatching(secret as CFDictionary, &found) == errSecSuccess, let token = found as? Data else {
        return .signInAgain(account: account)
    }
    return .signedIn(String(decoding: token, as: UTF8.self))
}

let old = try VirtualDevice()
try old.setPasscode("1234")
let app = old.install("com.example.shop", team: "A1B2C3D4E5")
app.run { signIn(as: "alice", token: "t0ken") }
print("old phone:", app.run { start() })

let backup = try old.backup(password: "a password that was written down")
print("in the backup:", backup.itemCount, "items;", "left out:", backup.leftOutItems.values.reduce(0, +))
print("its folder:", backup.directory.lastPathComponent)

let new = try VirtualDevice()
let result = try new.restore(backup)
print("on the new phone:", result.restoredItems, "came along,", result.itemsOfOtherDevice, "did not")

let login = new.install("com.example.shop", team: "A1B2C3D4E5").run { start() }
print("new phone:", login)
precondition(login == .signInAgain(account: "alice"), "the app does not notice that its token stayed behind")
