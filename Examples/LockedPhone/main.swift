// An app that behaves on a locked phone: what it needs in the background is readable after the first unlock, what only
// a person needs is readable while the phone is unlocked, and it tells "locked" from "not there".

import Foundation
import Security
import SecurityTesting

enum Secret: String {
    /// Needed by background work.
    case refreshToken
    /// Shown to the person only.
    case recoveryCode

    var accessible: CFString {
        switch self {
        case .refreshToken: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .recoveryCode: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        }
    }
}

enum Answer: Equatable {
    case found(String)
    case notThere
    /// Come back after the next unlock; nothing is lost.
    case locked
    case failed(OSStatus)
}

func save(_ text: String, as secret: Secret) -> OSStatus {
    let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.bank",
        kSecAttrAccount: secret.rawValue,
        kSecAttrAccessible: secret.accessible,
        kSecValueData: Data(text.utf8),
    ]
    return SecItemAdd(item as CFDictionary, nil)
}

func load(_ secret: Secret) -> Answer {
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.bank",
        kSecAttrAccount: secret.rawValue,
        kSecReturnData: true,
    ]
    var result: CFTypeRef?
    switch SecItemCopyMatching(query as CFDictionary, &result) {
    case errSecSuccess: return .found((result as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "")
    case errSecItemNotFound: return .notThere
    case errSecInteractionNotAllowed: return .locked
    case let status: return .failed(status)
    }
}

let device = try VirtualDevice()
let bank = device.install("com.example.bank", team: "A1B2C3D4E5")

/// Prints both answers of the app, and ends the program if they are not what the state of the phone promises.
func expect(_ bank: VirtualApp, _ state: String, token: Answer, code: Answer) {
    let found = bank.run { (load(.refreshToken), load(.recoveryCode)) }
    print("\(state): refresh token \(found.0), recovery code \(found.1)")
    guard found == (token, code) else {
        print("expected \(token) and \(code)")
        exit(1)
    }
}

try device.setPasscode("1234")
expect(bank, "nothing stored", token: .notThere, code: .notThere)
bank.run {
    guard save("t-1", as: .refreshToken) == errSecSuccess, save("c-1", as: .recoveryCode) == errSecSuccess else {
        exit(1)
    }
}
expect(bank, "unlocked", token: .found("t-1"), code: .found("c-1"))
try device.lock()
expect(bank, "locked", token: .found("t-1"), code: .locked)
try device.reboot()
expect(bank, "restarted", token: .locked, code: .locked)
try device.unlock("1234")
expect(bank, "unlocked again", token: .found("t-1"), code: .found("c-1"))

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
