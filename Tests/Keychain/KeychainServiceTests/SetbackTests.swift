import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Testing

@testable import LatchkeyKeychainService

@Suite struct SetbackTests {
    @Test("a transaction that ends with a setback leaves nothing, and the setback comes out as it was")
    func transaction() throws {
        let keychain = try TestKeychain()
        let setback = Self.setback { () throws(Setback) in
            try keychain.service.store.write { writer -> Void in
                try writer.set([1], named: "a")
                throw Setback.call(.duplicate)
            }
        }
        guard case .call(let failure)? = setback else {
            Issue.record("\(String(describing: setback))")
            return
        }
        #expect(failure.code == .duplicateItem)
        #expect(try keychain.service.store.read { try $0.setting(named: "a") } == nil)
    }

    @Test("a failure of the database inside of a transaction becomes a setback")
    func database() throws {
        let keychain = try TestKeychain()
        let setback = Self.setback { () throws(Setback) in
            try keychain.service.store.write { _ -> Void in throw ItemDatabaseFailure.full }
        }
        #expect(setback.map { CallFailure($0).refusal?.rule } == .diskFull)
    }

    @Test("a call whose keys are of a former passcode begins anew, three times at most")
    func formerPasscodeKeys() throws {
        let keychain = try TestKeychain()
        var count = 0
        let setback = Self.setback { () throws(Setback) in
            try keychain.service.items.vault.sealer.retrying { () throws(Setback) in
                count += 1
                throw .formerPasscodeKeys
            }
        }
        #expect(count == 4)
        #expect(setback.map { CallFailure($0).refusal?.rule } == .classKeyMissing)
    }

    @Test("a number that another process took is given anew, three times at most")
    func numberTaken() throws {
        let keychain = try TestKeychain()
        var count = 0
        let setback = Self.setback { () throws(Setback) in
            try keychain.service.items.vault.sealer.retrying { () throws(Setback) in
                count += 1
                throw .database(.numberTaken)
            }
        }
        #expect(count == 4)
        #expect(setback.map { CallFailure($0).refusal?.rule } == .numberTaken)
    }

    private static func setback(of body: () throws(Setback) -> Void) -> Setback? {
        do throws(Setback) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
