// Adds, finds, changes and deletes a password with nothing but Apple's API.
//
// It uses this machine's keychain; to leave that alone, name a throwaway device:
//
//     LATCHKEY_DEVICE=dir:/tmp/example-device swift run AddQueryUpdateDelete

import Foundation
import Security

/// The password's name: for generic passwords, service and account together are unique.
let name: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword,
    kSecAttrService: "org.latchkey.example",
    kSecAttrAccount: "anna@example.com",
]

/// Prints what a step gave, and ends the program if it is not what the step is for.
func step(_ title: String, _ status: OSStatus, wants wanted: OSStatus = errSecSuccess) {
    let message = SecCopyErrorMessageString(status, nil).map { String($0) } ?? "no message"
    print("\(title): \(status) (\(message))")
    guard status == wanted else {
        print("expected \(wanted)")
        exit(1)
    }
}

/// The password as it is in the keychain now.
func storedPassword(_ name: [CFString: Any]) -> String? {
    var result: CFTypeRef?
    let query = name.merging([kSecReturnData: true]) { $1 }
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
}

func expect(_ condition: Bool, _ what: String) {
    print("  \(what): \(condition ? "yes" : "no")")
    if !condition { exit(1) }
}

let item = name.merging([
    kSecValueData: Data("first password".utf8),
    kSecAttrLabel: "Example",
    kSecAttrAccessible: kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
]) { $1 }
step("add", SecItemAdd(item as CFDictionary, nil))
step("add it again", SecItemAdd(item as CFDictionary, nil), wants: errSecDuplicateItem)

var attributes: CFTypeRef?
let query = name.merging([kSecReturnAttributes: true]) { $1 }
step("find", SecItemCopyMatching(query as CFDictionary, &attributes))
expect((attributes as? [String: Any])?[kSecAttrLabel as String] as? String == "Example", "the label is there")
expect(storedPassword(name) == "first password", "the password is the first one")

let changes: [CFString: Any] = [kSecValueData: Data("second password".utf8)]
step("update", SecItemUpdate(name as CFDictionary, changes as CFDictionary))
expect(storedPassword(name) == "second password", "the password is the second one")

step("delete", SecItemDelete(name as CFDictionary))
step("find it again", SecItemCopyMatching(name as CFDictionary, nil), wants: errSecItemNotFound)
