// A bank lets a finger in, but only one that was there at the last full login. When the enrolled fingers change, the old
// key is worthless by itself; the app sees the change, asks for a full login, and makes a key for the fingers of now.

import Foundation
import LocalAuthentication
import Security
import SecurityTesting

/// The app's code, as it would be on a phone.
struct Bank {
    enum Start: Equatable {
        case signedIn(token: String)
        /// Fingers came or went since the last full login; the app says so, and asks for name and password.
        case fingersChanged
        /// No key yet, no fingers, or the person wants the other way.
        case needsLogin
        case cancelled
    }

    private let tokenQuery: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.bank",
        kSecAttrAccount: "token",
    ]
    /// The fingers that were enrolled at the last full login. They are not secret: they only tell the app what to say.
    private let stateQuery: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.bank",
        kSecAttrAccount: "enrolment",
    ]

    /// When the app comes to the front.
    func start() async -> Start {
        let context = LAContext()
        context.localizedReason = "Sign in to your accounts"
        context.localizedFallbackTitle = "Use password"
        var error: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error) else {
            return .needsLogin
        }
        guard let before = read(stateQuery), let now = context.evaluatedPolicyDomainState else { return .needsLogin }
        guard before == now else {
            forgetToken()
            return .fingersChanged
        }

        let query = tokenQuery.merging([kSecReturnData: true, kSecUseAuthenticationContext: context]) { $1 }
        var result: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &result) {
        case errSecSuccess: return .signedIn(token: (result as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "")
        case errSecUserCanceled: return .cancelled
        // Gone although the state is the same: the phone knows better. Never fall back to something weaker.
        case errSecItemNotFound: return .fingersChanged
        default: return .needsLogin
        }
    }

    /// After the bank itself has checked name, password and second factor.
    func finishLogin(token: String) -> Bool {
        forgetToken()
        let context = LAContext()
        var error: NSError?
        guard context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error),
            let now = context.evaluatedPolicyDomainState,
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)
        else { return false }
        let item = tokenQuery.merging([kSecAttrAccessControl: control, kSecValueData: Data(token.utf8)]) { $1 }
        guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { return false }
        SecItemDelete(stateQuery as CFDictionary)
        let state = stateQuery.merging([
            kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, kSecValueData: now,
        ]) { $1 }
        return SecItemAdd(state as CFDictionary, nil) == errSecSuccess
    }

    private func forgetToken() {
        SecItemDelete(tokenQuery as CFDictionary)
    }

    private func read(_ query: [CFString: Any]) -> Data? {
        var result: CFTypeRef?
        guard
            SecItemCopyMatching(query.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result) == errSecSuccess
        else { return nil }
        return result as? Data
    }
}

// The phone and its owner.
let device = try VirtualDevice()
try device.setPasscode("1234")
try device.enroll(.rightIndex)
let app = device.install("com.example.bank", team: "A1B2C3D4E5")

/// Starts the app while its owner does `answers`, and ends the program if it does not come to what it should.
func start(_ story: String, _ answers: ScriptedAnswer..., wants wanted: Bank.Start) async {
    device.script(answers)
    let outcome = await app.run { await Bank().start() }
    print("\(story): \(outcome)")
    guard outcome == wanted, device.unusedAnswers.isEmpty, device.unansweredPrompts.isEmpty else {
        print("expected \(wanted); unused answers: \(device.unusedAnswers)")
        exit(1)
    }
}

/// A full login at the bank.
func logIn(_ token: String) {
    guard app.run({ Bank().finishLogin(token: token) }) else { exit(1) }
    print("full login, token \(token)")
}

await start("first start", wants: .needsLogin)
logIn("t-1")
await start("a finger", .match(.rightIndex), wants: .signedIn(token: "t-1"))
await start("a finger that is not enrolled, then no", .match(.leftIndex), .cancel, wants: .cancelled)
await start("the password, please", .fallback, wants: .needsLogin)

try device.enroll(.leftIndex)
await start("a thief enrolled a second finger", wants: .fingersChanged)
try device.remove(finger: .leftIndex)
await start("and removed it again", wants: .fingersChanged)
logIn("t-2")
await start("the finger, for the new token", .match(.rightIndex), wants: .signedIn(token: "t-2"))

try device.removeAllFingers()
await start("no finger at all", wants: .needsLogin)

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
