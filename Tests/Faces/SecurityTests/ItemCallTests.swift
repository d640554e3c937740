import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Security
import Testing

@Suite("The four calls")
struct ItemCallTests {
    private static var query: CFDictionary { [kSecClass: kSecClassGenericPassword] as CFDictionary }

    @Test("each call asks for its own operation")
    func operations() {
        let keychain = RecordingKeychain()
        keychain.whileCurrent {
            SecItemAdd(Self.query, nil)
            SecItemCopyMatching(Self.query, nil)
            SecItemUpdate(Self.query, [kSecAttrLabel: "new"] as CFDictionary)
            SecItemDelete(Self.query)
        }
        let requests = keychain.requests
        #expect(requests.map(\.operation) == [.add, .find, .update, .delete])
        #expect(requests.allSatisfy { $0.queryByName == ["class": .string("genp")] })
        #expect(requests.map(\.changesByName) == [[:], [:], ["labl": .string("new")], [:]])
        #expect(requests.allSatisfy { !$0.wantsResult && $0.owner == nil })
    }

    @Test("the secrets of query and changes are counted through")
    func secretsOfUpdate() throws {
        let keychain = RecordingKeychain()
        _ = keychain.whileCurrent {
            SecItemUpdate(
                ["v_Data": Data([1])] as CFDictionary, ["v_Data": Data([2]), "labl": "x"] as CFDictionary)
        }
        let request = try #require(keychain.requests.first)
        #expect(request.queryByName["v_Data"] == .secret(0))
        #expect(request.changesByName["v_Data"] == .secret(1))
        #expect(request.secrets.map(\.bytesForTests) == [[1], [2]])
    }

    @Test("a success writes the result")
    func result() {
        let keychain = RecordingKeychain(result: .secret(0), secrets: [[5, 6]])
        var result: CFTypeRef?
        #expect(keychain.whileCurrent { SecItemCopyMatching(Self.query, &result) } == errSecSuccess)
        #expect(result as? Data == Data([5, 6]))
        #expect(keychain.requests.map(\.wantsResult) == [true])
    }

    @Test("a success without a result writes nil")
    func noResult() {
        let keychain = RecordingKeychain(result: nil)
        var result: CFTypeRef? = NSString("before")
        #expect(keychain.whileCurrent { SecItemAdd(Self.query, &result) } == errSecSuccess)
        #expect(result == nil)
    }

    @Test(
        "a refusal passes its code on and leaves the result alone",
        arguments: [ResultCode.param, .itemNotFound, .duplicateItem, .interactionNotAllowed, .missingEntitlement])
    func refusal(code: ResultCode) {
        let keychain = RecordingKeychain(code: code, result: .string("not to be seen"))
        var result: CFTypeRef? = NSString("before")
        #expect(keychain.whileCurrent { SecItemCopyMatching(Self.query, &result) } == code.rawValue)
        #expect(result as? String == "before")
        #expect(keychain.whileCurrent { SecItemDelete(Self.query) } == code.rawValue)
    }

    @Test("an answer that makes no sense is an error and leaves the result alone")
    func nonsense() {
        let keychain = RecordingKeychain(result: .secret(3))
        var result: CFTypeRef? = NSString("before")
        #expect(keychain.whileCurrent { SecItemCopyMatching(Self.query, &result) } == errSecDecode)
        #expect(result as? String == "before")
    }

    @Test("a complaint is made once for each text")
    func log() {
        let lines = Lines()
        let log = OncePerProcessLog { lines.append($0) }
        for line in ["a", "b", "a", "a", "b"] { log.say(line) }
        #expect(lines.all == ["a\n", "b\n"])
    }
}
