// A diary that opens with a finger, and with the passcode after three misses. The key of the diary is a keychain item
// with the same conditions, so that there is nothing to skip: an attacker who leaves the question out has no key.

import Foundation
import LocalAuthentication
import Security
import SecurityTesting

/// The app's code, as it would be on a phone.
enum Lock: Equatable {
    case open(key: String)
    /// The person does not want to; the lock screen stays.
    case cancelled
    /// Three wrong passcodes, or no way to be sure: the app offers its own login.
    case needsLogin
    case failed(OSStatus)
}

struct Diary {
    private let keyQuery: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: "com.example.diary",
        kSecAttrAccount: "key",
    ]

    func storeKey(_ key: String) throws {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .userPresence, nil)
        else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(errSecParam)) }
        let item = keyQuery.merging([kSecAttrAccessControl: control, kSecValueData: Data(key.utf8)]) { $1 }
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }

    /// Asks once; the same context then opens the key without a second question.
    func unlock() async -> Lock {
        let context = LAContext()
        context.localizedFallbackTitle = "Use passcode"
        do {
            // A finger first; after three misses, or where the person wants it, the passcode.
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Open your diary")
        } catch LAError.userCancel, LAError.appCancel, LAError.systemCancel {
            return .cancelled
        } catch {
            return .needsLogin
        }
        let query = keyQuery.merging([kSecReturnData: true, kSecUseAuthenticationContext: context]) { $1 }
        var result: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &result) {
        case errSecSuccess: return .open(key: (result as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "")
        case errSecAuthFailed, errSecItemNotFound: return .needsLogin
        case let status: return .failed(status)
        }
    }
}

// The phone and its owner.
let device = try VirtualDevice()
try device.setPasscode("1234")
try device.enroll(.rightIndex)
let diary = device.install("com.example.diary", team: "A1B2C3D4E5")
try diary.run { try Diary().storeKey("k-1") }

/// Opens the app while its owner does `answers`, and ends the program if the app does not come to what it should.
func open(_ story: String, _ answers: ScriptedAnswer..., wants wanted: Lock) async {
    device.script(answers)
    let outcome = await diary.run { await Diary().unlock() }
    print("\(story): \(outcome)")
    guard outcome == wanted, device.unusedAnswers.isEmpty, device.unansweredPrompts.isEmpty else {
        print("expected \(wanted); unused answers: \(device.unusedAnswers)")
        exit(1)
    }
}

await open("a finger", .match(.rightIndex), wants: .open(key: "k-1"))
await open("a miss, then a finger", .mismatch, .match(.rightIndex), wants: .open(key: "k-1"))
await open(
    "three misses, then the passcode", .mismatch, .mismatch, .mismatch, .passcode("1234"), wants: .open(key: "k-1"))
await open("the passcode at once", .fallback, .passcode("1234"), wants: .open(key: "k-1"))
await open("no, not now", .cancel, wants: .cancelled)
await open("three wrong passcodes", .fallback, .passcode("1"), .passcode("2"), .passcode("3"), wants: .needsLogin)
try device.lockRemotely()
try device.unlock("1234")
await open("after a remote lock and the passcode", .match(.rightIndex), wants: .open(key: "k-1"))
device.setSensor(.absent)
await open("without the reader", .passcode("1234"), wants: .open(key: "k-1"))

for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
