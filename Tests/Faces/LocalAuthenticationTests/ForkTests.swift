import Foundation
import LatchkeyTestSupport
import LocalAuthentication
import Security
import Synchronization
import Testing

@Suite("A context in a child of fork") struct ForkTests {
    private static var query: [CFString: Any] { [kSecClass: kSecClassGenericPassword] }

    private static func status(_ context: LAContext) -> OSStatus {
        SecItemCopyMatching(query.merging([kSecUseAuthenticationContext: context]) { $1 } as CFDictionary, nil)
    }

    @Test("that the parent has used is invalid there, also while the parent waits for a person; an unused one works")
    func contextsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let keychain = ScriptedKeychain()
            keychain.whileCurrent {
                let (used, waiting, unused) = (LAContext(), LAContext(), LAContext())
                guard used.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil) else { exit(1) }
                keychain.script.withLock { $0.waits = true }
                waiting.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { _, _ in }
                eventually { keychain.asked.count == 2 }
                let ending = Forking.child {
                    for context in [used, waiting] {
                        var error: NSError?
                        try Forking.require(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
                        try Forking.require(error?.code == LAError.Code.invalidContext.rawValue)
                        try Forking.require(Self.status(context) == errSecAuthFailed)
                        context.invalidate()
                    }
                    try Forking.require(unused.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
                    try Forking.require(Self.status(unused) == errSecSuccess)
                }
                guard ending == .success, Self.status(used) == errSecSuccess else { exit(2) }
            }
            exit(0)
        }
    }
}
