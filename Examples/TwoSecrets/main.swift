// A vault item that needs two things: the phone's passcode, which proves that its owner is there, and a password that
// only the vault and its owner know. Neither the phone nor the app keeps that password.

import Foundation
import LocalAuthentication
import Security
import SecurityTesting

/// The app's code, as it would be on a phone.
struct Vault {
    private let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.vault",
        kSecAttrAccount: "seed",
    ]

    enum Answer: Equatable {
        case opened(String)
        /// The vault's password, or the passcode, was wrong.
        case refused
        case cancelled
        /// There is nothing, or the passcode of the phone was removed, and the item with it.
        case empty
        case failed(OSStatus)
    }

    func store(_ seed: String, password: String) -> OSStatus {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.devicePasscode, .applicationPassword], nil)
        else { return errSecParam }
        let item = query.merging([
            kSecAttrAccessControl: control,
            kSecUseAuthenticationContext: context(password),
            kSecValueData: Data(seed.utf8),
        ]) { $1 }
        return SecItemAdd(item as CFDictionary, nil)
    }

    func open(password: String) -> Answer {
        let context = context(password)
        context.localizedReason = "Open the vault"
        let item = query.merging([kSecReturnData: true, kSecUseAuthenticationContext: context]) { $1 }
        var result: CFTypeRef?
        switch SecItemCopyMatching(item as CFDictionary, &result) {
        case errSecSuccess: return .opened((result as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "")
        case errSecAuthFailed: return .refused
        case errSecUserCanceled: return .cancelled
        case errSecItemNotFound: return .empty
        case let status: return .failed(status)
        }
    }

    private func context(_ password: String) -> LAContext {
        let context = LAContext()
        context.setCredential(Data(password.utf8), type: .applicationPassword)
        return context
    }
}

// The phone and its owner.
let device = try VirtualDevice()
try device.setPasscode("1234")
let app = device.install("com.example.vault", team: "A1B2C3D4E5")

/// Opens the vault while its owner does `answers`, and ends the program if it does not come to what it should.
func open(_ story: String, password: String, _ answers: ScriptedAnswer..., wants wanted: Vault.Answer) {
    device.script(answers)
    let answer = app.run { Vault().open(password: password) }
    print("\(story): \(answer)")
    guard answer == wanted, device.unusedAnswers.isEmpty, device.unansweredPrompts.isEmpty else {
        print("expected \(wanted); unused answers: \(device.unusedAnswers)")
        exit(1)
    }
}

open("nothing stored", password: "swordfish", wants: .empty)
guard app.run({ Vault().store("s-1", password: "swordfish") }) == errSecSuccess else { exit(1) }
open("both", password: "swordfish", .passcode("1234"), wants: .opened("s-1"))
open("the passcode alone", password: "herring", .passcode("1234"), wants: .refused)
open("the password alone", password: "swordfish", .passcode("0"), .passcode("1"), .passcode("2"), wants: .refused)
open("no passcode, thank you", password: "swordfish", .cancel, wants: .cancelled)
try device.reboot()
open("before the first unlock", password: "swordfish", wants: .failed(errSecInteractionNotAllowed))
try device.unlock("1234")
open("both again", password: "swordfish", .passcode("1234"), wants: .opened("s-1"))
try device.removePasscode("1234")
open("the phone's passcode removed", password: "swordfish", wants: .empty)

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
