// A program with a signature: what it gets depends on who signed it, not on where it lies.
//
//     latchkey team create --name Example
//     swift package codesign --product SignedApp --team TEAM
//     latchkey team trust ~/.local/share/latchkey/teams/TEAM.team
//     .build/debug/SignedApp [GROUP]       GROUP as a program would have it in its source

import Foundation
import Security

var account: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword,
    kSecAttrService: "com.example.signed-app",
    kSecAttrAccount: "anna",
]
if let group = CommandLine.arguments.dropFirst().first { account[kSecAttrAccessGroup] = group }

/// Prints what a call gave, and ends the program if it is not what the step is for.
func step(_ title: String, wants wanted: OSStatus = errSecSuccess, _ status: OSStatus) {
    print("\(title): \(status)")
    guard status == wanted else {
        print("expected \(wanted)")
        exit(1)
    }
}

_ = SecItemDelete(account as CFDictionary)
step("add", SecItemAdd(account.merging([kSecValueData: Data("secret".utf8)]) { $1 } as CFDictionary, nil))

var found: CFTypeRef?
let query = account.merging([kSecReturnAttributes: true, kSecReturnData: true]) { $1 }
step("find", SecItemCopyMatching(query as CFDictionary, &found))
let item = found as? [CFString: Any] ?? [:]
print("secret: \(item[kSecValueData] as? Data == Data("secret".utf8) ? "as it was stored" : "another one")")

// The first group of the entitlements; a program without a signature has a group of its own.
let group = item[kSecAttrAccessGroup] as? String ?? "none"
print("group: \(group)")

let stranger = account.merging([kSecAttrAccessGroup: "ZZZZZZZZZZ.org.stranger"]) { $1 }
step(
    "name a stranger's group", wants: errSecMissingEntitlement, SecItemCopyMatching(stranger as CFDictionary, nil))
step("delete", SecItemDelete(account as CFDictionary))
