import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// Modification dates after the clock was set back: what replaces a row is later than the row.
@Suite struct ModificationDateTests {
    private static let shared: [String: PropertyValue] = ["sync": .boolean(true)]

    private func date(_ account: String, _ keychain: TestKeychain) -> Double? {
        let reply = keychain.perform(
            .find, ["acct": .string(account), "sync": .string("syna"), "r_Attributes": .boolean(true)])
        guard case .dictionary(let attributes)? = reply.result, case .date(let date)? = attributes["mdat"] else {
            return nil
        }
        return date
    }

    /// A keychain whose clock was set back by ten years after `acts`.
    private func setBack(after acts: (TestKeychain) -> Void) throws -> (TestKeychain, Double) {
        let keychain = try TestKeychain()
        acts(keychain)
        let before = keychain.clock.wallTime().seconds
        keychain.clock.setWallTime(before - 315_360_000)
        return (keychain, before)
    }

    @Test("an add over a tombstone is later than the deletion, and its answer says so")
    func addOverTombstone() throws {
        let (keychain, before) = try setBack {
            $0.add("a", "1", Self.shared)
            $0.clock.advance(by: 10)
            #expect($0.perform(.delete, ["acct": .string("a"), "sync": .boolean(true)]).code == .success)
        }
        let reply = keychain.perform(
            .add,
            ["acct": .string("a"), "svce": .string("s"), "sync": .boolean(true), "r_Attributes": .boolean(true)],
            secret: "2")
        #expect(reply.code == .success)
        let stored = try #require(date("a", keychain))
        #expect(stored > before)
        #expect(keychain.secret(of: "a") == .success("2"))
        guard case .dictionary(let attributes)? = reply.result else {
            Issue.record("no attributes")
            return
        }
        #expect(attributes["mdat"] == .date(stored))
    }

    @Test("a new primary key is later than the row that had the former one")
    func primaryKeyChange() throws {
        let (keychain, before) = try setBack { $0.add("a", "1", Self.shared) }
        #expect(
            keychain.perform(
                .update, ["acct": .string("a"), "sync": .boolean(true)], changes: ["acct": .string("b")]
            ).code == .success)
        #expect(try #require(date("b", keychain)) > before)
    }

    @Test("an update that moves an item to the primary key of a tombstone is later than the deletion")
    func updateOverTombstone() throws {
        let (keychain, before) = try setBack {
            $0.add("a", "1", Self.shared)
            $0.clock.advance(by: 10)
            #expect($0.perform(.delete, ["acct": .string("a"), "sync": .boolean(true)]).code == .success)
        }
        keychain.add("b", "2", Self.shared)
        #expect(
            keychain.perform(
                .update, ["acct": .string("b"), "sync": .boolean(true)], changes: ["acct": .string("a")]
            ).code == .success)
        #expect(try #require(date("a", keychain)) > before)
        #expect(keychain.secret(of: "a") == .success("2"))
    }

    @Test("with a clock that was not set back, the date is the time of the add")
    func usual() throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1", Self.shared)
        #expect(keychain.perform(.delete, ["acct": .string("a"), "sync": .boolean(true)]).code == .success)
        keychain.clock.advance(by: 10)
        keychain.add("a", "2", Self.shared)
        #expect(date("a", keychain) == keychain.clock.wallTime().seconds)
    }
}
