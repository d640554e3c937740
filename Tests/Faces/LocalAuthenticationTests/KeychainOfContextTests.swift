import Foundation
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Security
import Testing

@testable import LocalAuthentication

@Suite("The keychain of a context")
struct KeychainOfContextTests {
    private let replies = Replies()
    private static var query: [CFString: Any] { [kSecClass: kSecClassGenericPassword] }

    @Test("it is the one that was current where the context was made")
    func home() async {
        let keychain = ScriptedKeychain()
        let context = keychain.whileCurrent { LAContext() }
        let other = ScriptedKeychain()
        other.whileCurrent {
            #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
            let status = SecItemCopyMatching(
                Self.query.merging([kSecUseAuthenticationContext: context]) { $1 } as CFDictionary, nil)
            #expect(status == errSecSuccess)
        }
        #expect(keychain.asked.count == 2)
        #expect(other.asked.isEmpty)
    }

    @Test("a reply has the keychain of the code that asked")
    func scopeOfReply() async {
        let keychain = ScriptedKeychain()
        let replies = replies
        keychain.whileCurrent {
            LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test") { isFulfilled, error in
                SecItemDelete(Self.query as CFDictionary)
                replies.closure(isFulfilled, error)
            }
        }
        #expect(await replies.next().isFulfilled)
        #expect(keychain.asked.last == .item(.delete, session: nil, nil))
    }

    @Test("a reply may use its context for items, and wait for another evaluation")
    func insideReply() async throws {
        let keychain = ScriptedKeychain()
        let replies = replies
        // The closure is the context's own, and a context may be used from any thread.
        nonisolated(unsafe) let context = keychain.whileCurrent { LAContext() }
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "first") { _, _ in
            let query = Self.query.merging([kSecUseAuthenticationContext: context]) { $1 }
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
            let done = Signal()
            context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "second") { isFulfilled, error in
                done.signal()
            }
            done.wait()
            replies.closure(true, nil)
        }
        #expect(await replies.next().isFulfilled)
        #expect(keychain.asked.count == 3)
        #expect(keychain.asked[1] == .item(.find, session: 1, Interaction()))
    }

    @Test("all four calls go over the session of the context, with what it says of the person")
    func items() throws {
        let keychain = ScriptedKeychain()
        try keychain.whileCurrent {
            let context = LAContext()
            context.localizedReason = "to read"
            context.interactionNotAllowed = true
            context.touchIDAuthenticationAllowableReuseDuration = 10
            let query = Self.query.merging([kSecUseAuthenticationContext: context]) { $1 } as CFDictionary
            #expect(SecItemAdd(query, nil) == errSecSuccess)
            #expect(SecItemCopyMatching(query, nil) == errSecSuccess)
            #expect(SecItemUpdate(query, [kSecAttrLabel: "x"] as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(query) == errSecSuccess)
            let interaction = Interaction(isAllowed: false, reason: "to read", reuseSeconds: 10)
            #expect(
                keychain.asked
                    == [
                        .item(.add, session: 1, interaction), .item(.find, session: 1, interaction),
                        .item(.update, session: 1, interaction), .item(.delete, session: 1, interaction),
                    ])
            context.invalidate()
            for status in [
                SecItemAdd(query, nil), SecItemCopyMatching(query, nil),
                SecItemUpdate(query, [kSecAttrLabel: "x"] as CFDictionary), SecItemDelete(query),
            ] { #expect(status == errSecAuthFailed) }
            #expect(keychain.asked.count == 4)
            try #require(keychain.openedCount == 1)
        }
    }

    @Test("without a device everything fails, and none of it says that there is no passcode")
    func unreachable() async {
        let conversation = Conversation { () throws(DeviceFailure) in
            throw DeviceFailure(.unreachable, "There is no device for this test.")
        }
        for policy in AuthenticationPolicy.allCases {
            let refusal = #expect(throws: AuthenticationRefusal.self, "\(policy)") {
                try conversation.ask(CheckPolicy(policy))
            }
            #expect(refusal?.error == .systemCancel)
            #expect(refusal?.refusal.ruleName == "device-unreachable")
            #expect(refusal?.refusal.reason == "There is no device for this test.")
        }
        #expect(!conversation.give(SetContextPassword(nil)))
        let request = ItemRequest(operation: .find, query: [], wantsResult: false)
        #expect(conversation.perform(request).code == .notAvailable)
        let answers = AsyncStream.makeStream(of: Result<PolicyFulfilment, AuthenticationRefusal>.self)
        conversation.evaluate(EvaluatePolicy(.deviceOwner, Interaction(reason: "to test"))) {
            answers.continuation.yield($0)
        }
        for await answer in answers.stream {
            let refusal = #expect(throws: AuthenticationRefusal.self) { try answer.get() }
            #expect(refusal?.error == .systemCancel)
            break
        }
    }

    @Test("a device that can be reached later serves the same context")
    func reachableLater() {
        let keychain = ScriptedKeychain()
        let isThere = Flag()
        let conversation = Conversation { () throws(DeviceFailure) in
            guard isThere.isSet else { throw DeviceFailure(.unreachable, "There is no device yet for this test.") }
            return keychain
        }
        #expect(!conversation.give(SetContextPassword(nil)))
        isThere.set()
        #expect(conversation.give(SetContextPassword(nil)))
        #expect(conversation.give(SetContextPassword(nil)))
        #expect(keychain.openedCount == 1)
    }
}
