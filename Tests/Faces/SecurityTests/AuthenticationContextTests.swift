import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import Security

@Suite("An authentication context in a query")
struct AuthenticationContextTests {
    private let keychain = RecordingKeychain()

    private func query(_ context: AnyObject) -> CFDictionary {
        [kSecClass: kSecClassGenericPassword, kSecUseAuthenticationContext: context] as CFDictionary
    }

    @Test("every call with a context goes over its session, and is marked")
    func calls() {
        let context = TestContext()
        keychain.whileCurrent {
            SecItemAdd(query(context), nil)
            SecItemCopyMatching(query(context), nil)
            SecItemUpdate(query(context), [kSecAttrLabel: "new"] as CFDictionary)
            SecItemDelete(query(context))
        }
        #expect(keychain.requests.isEmpty)
        #expect(context.requests.map(\.operation) == [.add, .find, .update, .delete])
        for request in context.requests {
            #expect(request.interaction == Interaction(reason: "to test"))
            #expect(
                request.queryByName == [
                    "class": .string("genp"), "u_AuthCtx": .reference(kind: "LAContext", bytes: []),
                ])
        }
        #expect(context.requests.map(\.changesByName) == [[:], [:], ["labl": .string("new")], [:]])
    }

    @Test("the result and the refusal of a session reach the program")
    func results() {
        let context = TestContext(reply: ItemReply(code: .success, result: .integer(5)))
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(query(context), &result) == errSecSuccess)
        #expect(result as? Int == 5)
        #expect(context.requests.map(\.wantsResult) == [true])
        let ended = TestContext(reply: ItemReply(code: .authFailed))
        #expect(SecItemCopyMatching(query(ended), &result) == errSecAuthFailed)
    }

    @Test("how to ask is read at the call")
    func interaction() {
        let context = TestContext()
        context.interaction = Interaction(isAllowed: false, reuseSeconds: 5)
        SecItemDelete(query(context))
        #expect(context.requests.map(\.interaction) == [Interaction(isAllowed: false, reuseSeconds: 5)])
    }

    @Test("calls without a context say nothing of how to ask")
    func without() {
        _ = keychain.whileCurrent { SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) }
        #expect(keychain.requests.map(\.interaction) == [nil])
    }

    @Test("an object of another kind is left to the service to refuse")
    func otherObjects() {
        keychain.whileCurrent {
            SecItemDelete(query(NSObject()))
            SecItemDelete(query("LAContext" as NSString))
        }
        #expect(
            keychain.requests.map { $0.queryByName["u_AuthCtx"] }
                == [.reference(kind: "NSObject", bytes: []), .string("LAContext")])
        #expect(keychain.requests.allSatisfy { $0.interaction == nil })
    }

    @Test("a context counts under its own key of the query alone")
    func otherPlaces() {
        let context = TestContext()
        keychain.whileCurrent {
            SecItemDelete([kSecAttrAccount: context] as CFDictionary)
            SecItemDelete([DeprecatedConstants.useItemList: [context]] as CFDictionary)
            SecItemUpdate([:] as CFDictionary, query(context))
        }
        #expect(context.requests.isEmpty)
        #expect(keychain.requests.count == 3)
        #expect(keychain.requests.allSatisfy { $0.interaction == nil })
    }

    @Test("the secrets of a call go along")
    func secrets() {
        let context = TestContext()
        SecItemAdd(
            [kSecUseAuthenticationContext: context, kSecValueData: Data([1, 2])] as CFDictionary, nil)
        #expect(context.requests.first?.secrets.map(\.bytesForTests) == [[1, 2]])
    }
}
