import LatchkeyAccessControl
import LatchkeyKeychainMessages
import LocalAuthentication
import Security
import Testing

@Suite("Evaluating an access control")
struct AccessControlEvaluationTests {
    private static let operations: [(LAAccessControlOperation, ofItem: GuardedOperation, ofKey: GuardedOperation)] = [
        (.createItem, .encrypt, .encrypt), (.useItem, .decrypt, .decrypt), (.createKey, .encrypt, .attest),
        (.useKeySign, .sign, .sign), (.useKeyDecrypt, .agreeOnKey, .agreeOnKey),
        (.useKeyKeyExchange, .agreeOnKey, .agreeOnKey),
    ]

    @Test("each operation is put by the name that access controls have for it")
    func operations() async throws {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        for flags in [SecAccessControlCreateFlags.userPresence, [.userPresence, .privateKeyUsage]] {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil))
            for row in Self.operations {
                #expect(
                    try await context.evaluateAccessControl(control, operation: row.0, localizedReason: "to test"))
                #expect(
                    keychain.asked.last
                        == .accessControl(
                            control.rules, flags.contains(.privateKeyUsage) ? row.ofKey : row.ofItem,
                            Interaction(reason: "to test")))
            }
        }
    }

    @Test("a failure is told, and without a reason the user is not asked")
    func failures() async throws {
        let keychain = ScriptedKeychain(answering: .failed(.userCancel, .forTests))
        let context = keychain.whileCurrent { LAContext() }
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .biometryCurrentSet, nil))
        let replies = Replies()
        context.evaluateAccessControl(
            control, operation: .useItem, localizedReason: "to test", reply: replies.closure)
        #expect(await replies.next().code == .userCancel)
        context.evaluateAccessControl(control, operation: .useItem, localizedReason: "", reply: replies.closure)
        #expect(await replies.next().code == .authenticationFailed)
        #expect(keychain.asked.count == 1)
        context.invalidate()
        context.evaluateAccessControl(
            control, operation: .useItem, localizedReason: "to test", reply: replies.closure)
        #expect(await replies.next().code == .invalidContext)
    }
}
