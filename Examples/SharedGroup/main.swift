// Two apps of one team share a login through an access group; a third app sees nothing of it.

import Foundation
import Security
import SecurityTesting

let team = "A1B2C3D4E5"
let shared = "\(team).com.example.shared"

let device = try VirtualDevice()
let mail = device.install("com.example.mail", team: team, keychainAccessGroups: ["\(team).com.example.mail", shared])
let calendar = device.install(
    "com.example.calendar", team: team, keychainAccessGroups: ["\(team).com.example.calendar", shared])
let stranger = device.install("org.stranger", team: "Z9Y8X7W6V5")

let login: [CFString: Any] = [
    kSecClass: kSecClassInternetPassword,
    kSecAttrServer: "example.com",
    kSecAttrProtocol: kSecAttrProtocolHTTPS,
    kSecAttrAccount: "anna",
]

/// Prints what an app's step gave, and ends the program if it is not what the step is for.
func step(_ app: VirtualApp, _ title: String, wants wanted: OSStatus = errSecSuccess, _ call: () -> OSStatus) {
    let status = app.run(call)
    print("\(app.bundleIdentifier): \(title): \(status)")
    guard status == wanted else {
        print("expected \(wanted)")
        exit(1)
    }
}

step(mail, "adds a login to the shared group") {
    let item = login.merging([
        kSecAttrAccessGroup: shared,
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
        kSecValueData: Data("secret".utf8),
    ]) { $1 }
    return SecItemAdd(item as CFDictionary, nil)
}
step(calendar, "finds it without naming the group") {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(login.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
    return result as? Data == Data("secret".utf8) ? status : errSecItemNotFound
}
step(stranger, "does not find it", wants: errSecItemNotFound) {
    SecItemCopyMatching(login as CFDictionary, nil)
}
step(stranger, "may not even name the group", wants: errSecMissingEntitlement) {
    SecItemCopyMatching(login.merging([kSecAttrAccessGroup: shared]) { $1 } as CFDictionary, nil)
}
step(mail, "keeps a login of its own") {
    let item = login.merging([
        kSecAttrAccount: "private", kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
    ]) { $1 }
    return SecItemAdd(item as CFDictionary, nil)
}
step(calendar, "does not find that one", wants: errSecItemNotFound) {
    SecItemCopyMatching(login.merging([kSecAttrAccount: "private"]) { $1 } as CFDictionary, nil)
}
step(calendar, "deletes the shared login") { SecItemDelete(login as CFDictionary) }
step(mail, "no longer finds it", wants: errSecItemNotFound) { SecItemCopyMatching(login as CFDictionary, nil) }

device.close()
