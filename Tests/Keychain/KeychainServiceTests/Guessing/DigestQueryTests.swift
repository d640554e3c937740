import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Queries by digest (`sha1`) and by comment (`icmt`), which have no tokens: rows are opened and compared.
@Suite struct DigestQueryTests {
    /// The attribute by which a query names the first of two items, and a value that names none.
    enum Name: String, CaseIterable, CustomTestStringConvertible {
        case digest = "sha1"
        case comment = "icmt"

        var testDescription: String { rawValue }
        var none: PropertyValue { self == .digest ? .data([UInt8](repeating: 7, count: 20)) : .string("another note") }
    }

    private static let operations: [ItemOperation] = [.find, .update, .delete]

    /// A device with a passcode and items `a` and `b`, which differ in account, secret and comment.
    private func stage(_ more: [String: PropertyValue] = [:]) throws -> AuthenticationStage {
        let stage = try AuthenticationStage()
        for name in ["a", "b"] {
            let attributes: [String: PropertyValue] = ["acct": .string(name), "icmt": .string("note of " + name)]
            let reply = stage.perform(.add, attributes.merging(more) { $1 }, secret: "secret of " + name)
            #expect(reply.code == .success)
        }
        return stage
    }

    private func value(_ name: Name, of account: String, _ stage: AuthenticationStage) throws -> PropertyValue {
        let reply = stage.find(account, ["r_Attributes": .boolean(true)])
        guard case .dictionary(let attributes)? = reply.result else { throw Unexpected() }
        return try #require(attributes[name.rawValue])
    }

    /// Runs one of the three calls; a find asks for the data, an update changes the label.
    private func call(
        _ operation: ItemOperation, _ query: [String: PropertyValue], _ stage: AuthenticationStage,
        session: ServiceSession? = nil
    ) -> ItemReply {
        let more: [String: PropertyValue] = operation == .find ? ["r_Data": .boolean(true)] : [:]
        return stage.perform(
            operation, query.merging(more) { $1 },
            changes: operation == .update ? ["labl": .string("changed")] : [:], session: session)
    }

    private func lock(_ stage: AuthenticationStage) { stage.lock() }

    private func unlock(_ stage: AuthenticationStage) throws {
        try stage.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
    }

    private func rowCount(_ stage: AuthenticationStage) throws -> Int? {
        try stage.keychain.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM genp") }
    }

    @Test("find, update and delete take the item that is named, and leave the other as it is", arguments: Name.allCases)
    func named(_ name: Name) throws {
        let stage = try stage()
        let query = [name.rawValue: try value(name, of: "a", stage)]
        let other = try value(.digest, of: "b", stage)
        #expect(call(.find, query, stage).text == "secret of a")
        #expect(call(.update, query, stage).code == .success)
        let changed = [name.rawValue: try value(name, of: "a", stage)]
        #expect(changed == query || name == .digest)
        #expect(stage.find("a", ["labl": .string("changed")]).code == .success)
        #expect(call(.delete, changed, stage).code == .success)
        #expect(stage.find("a").code == .itemNotFound)
        #expect(try value(.digest, of: "b", stage) == other)
        #expect(stage.find("b").text == "secret of b")
        #expect(stage.quarantined == 0)
    }

    @Test(
        "a value that no item has finds nothing, and no row is changed, set aside or deleted",
        arguments: Name.allCases, operations)
    func none(_ name: Name, _ operation: ItemOperation) throws {
        let stage = try stage()
        let before = try stage.keychain.raw { try Row.fetchAll($0, sql: "SELECT * FROM genp") }
        #expect(call(operation, [name.rawValue: name.none], stage).code == .itemNotFound)
        #expect(call(operation, [name.rawValue: name.none, "acct": .string("a")], stage).code == .itemNotFound)
        #expect(try stage.keychain.raw { try Row.fetchAll($0, sql: "SELECT * FROM genp") } == before)
        #expect(stage.quarantined == 0)
    }

    @Test(
        "on a locked device the right value and a wrong one have the same answer, and nothing changes",
        arguments: Name.allCases, operations)
    func locked(_ name: Name, _ operation: ItemOperation) throws {
        let stage = try stage()
        let right = try value(name, of: "a", stage)
        lock(stage)
        for value in [right, name.none] {
            for more in [[:], ["acct": PropertyValue.string("a")]] {
                let reply = call(operation, [name.rawValue: value].merging(more) { $1 }, stage)
                #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .classKeyLocked)
            }
            // By its tokens no row can be meant.
            let missing = call(operation, [name.rawValue: value, "acct": .string("c")], stage)
            #expect(missing.code == .itemNotFound)
        }
        #expect(try rowCount(stage) == 2)
        try unlock(stage)
        #expect(call(.find, [name.rawValue: right], stage).text == "secret of a")
        #expect(stage.quarantined == 0)
    }

    @Test(
        "without the proof of an item with conditions, the right digest and a wrong one have the same answer",
        arguments: operations)
    func guarded(_ operation: ItemOperation) throws {
        let stage = try stage(["accc": AuthenticationStage.control(.userPresence)])
        stage.person.will(.match)
        let right = try value(.digest, of: "a", stage)
        for value in [right, Name.digest.none] {
            stage.person.will(.cancel)
            #expect(call(operation, ["sha1": value, "acct": .string("a")], stage).code == .userCanceled)
            let reply = stage.perform(
                operation, ["sha1": value, "u_AuthUI": .string("u_AuthUIF")],
                changes: operation == .update ? ["labl": .string("l")] : [:])
            #expect(reply.code == .interactionNotAllowed)
        }
        #expect(try rowCount(stage) == 2 && stage.quarantined == 0 && stage.person.stepsLeft == 0)
    }

    @Test("with the proof a digest names an item with conditions, and another one is left as it is")
    func proven() throws {
        let stage = try stage(["accc": AuthenticationStage.control(.userPresence)])
        let session = stage.openSession()
        stage.person.will(.match)
        let reply = stage.find("b", ["r_Attributes": .boolean(true)], session: session)
        guard case .dictionary(let attributes)? = reply.result else { throw Unexpected() }
        let query = ["sha1": try #require(attributes["sha1"])]
        #expect(call(.find, query, stage, session: session).text == "secret of b")
        #expect(call(.find, ["sha1": Name.digest.none], stage, session: session).code == .itemNotFound)
        #expect(call(.update, query, stage, session: session).code == .success)
        #expect(call(.find, query, stage, session: session).code == .itemNotFound, "the change has another digest")
        guard
            case .dictionary(let changed)? = stage.find("b", ["r_Attributes": .boolean(true)], session: session).result
        else { throw Unexpected() }
        #expect(changed["labl"] == .string("changed") && changed["sha1"] != attributes["sha1"])
        let digest = try #require(changed["sha1"])
        #expect(call(.delete, ["sha1": digest], stage, session: session).code == .success)
        #expect(stage.find("b", session: session).code == .itemNotFound)
        #expect(stage.find("a", session: session).text == "secret of a")
        #expect(stage.quarantined == 0)
    }

    @Test("a find that skips what asks for a proof leaves such items out, whatever their digest is")
    func skipped() throws {
        let stage = try stage(["accc": AuthenticationStage.control(.userPresence)])
        stage.person.will(.match)
        for value in [try value(.digest, of: "a", stage), Name.digest.none] {
            let reply = stage.perform(.find, ["sha1": value, "u_AuthUI": .string("u_AuthUIS")])
            #expect(reply.code == .itemNotFound && reply.affectedRows == 2)
        }
    }

    @Test("attributes that are answered without a proof have no digest of an item with conditions")
    func addedAttributes() throws {
        let stage = try AuthenticationStage()
        func digest(_ query: [String: PropertyValue]) throws -> PropertyValue? {
            let reply = stage.perform(.add, query.merging(["r_Attributes": .boolean(true)]) { $1 }, secret: "s")
            guard case .dictionary(let attributes)? = reply.result else { throw Unexpected() }
            return attributes["sha1"]
        }
        #expect(try digest(["acct": .string("a")]) == value(.digest, of: "a", stage))
        #expect(try digest(["acct": .string("b"), "accc": AuthenticationStage.control(.userPresence)]) == nil)
        stage.person.will(.match)
        guard case .data(let bytes) = try value(.digest, of: "b", stage) else { throw Unexpected() }
        #expect(bytes.count == 20)
    }

    @Test("a row whose token is not that of its item is damage, also in a query by comment", arguments: operations)
    func moved(_ operation: ItemOperation) throws {
        let stage = try stage()
        try stage.keychain.raw {
            try $0.execute(
                sql: "UPDATE genp SET t_acct = (SELECT t_acct FROM genp ORDER BY rowid LIMIT 1), pk = randomblob(16)")
        }
        let reply = call(operation, ["icmt": .string("note of b"), "acct": .string("a")], stage)
        #expect(reply.code == .itemNotFound)
        #expect(stage.quarantined == 1)
        #expect(stage.find("a").text == "secret of a")
    }

    @Test(
        "a damaged row is left by an update and a delete by comment, and set aside by a find", arguments: Name.allCases)
    func damaged(_ name: Name) throws {
        let stage = try stage()
        let query = [name.rawValue: try value(name, of: "a", stage)]
        try stage.keychain.raw {
            try $0.execute(
                sql: "UPDATE genp SET attributes = x'00' WHERE rowid = (SELECT max(rowid) FROM genp)")
        }
        #expect(call(.update, query, stage).code == .success)
        let changed = [name.rawValue: try value(name, of: "a", stage)]
        #expect(call(.delete, changed, stage).code == .success)
        #expect(try rowCount(stage) == 1 && stage.quarantined == 0)
        #expect(call(.find, changed, stage).code == .itemNotFound)
        #expect(try rowCount(stage) == 0 && stage.quarantined == 1)
    }

    @Test("an item that ended is never matched", arguments: Name.allCases, operations)
    func ended(_ name: Name, _ operation: ItemOperation) throws {
        let stage = try stage(["pdmn": .string("akpu")])
        let right = try value(name, of: "a", stage)
        try stage.service.ask(RemovePasscode(secret("1234")), caller: TestKeychain.caller)
        #expect(stage.ended == [.passcodeRemoved: 2])
        let reply = call(operation, [name.rawValue: right, "acct": .string("a")], stage)
        #expect(reply.code == .itemNotFound && reply.refusal == nil)
        #expect(stage.find("a").refusal?.rule == .itemEnded, "by its account it is")
    }

    @Test("an identity is found by the digest of its key", arguments: operations)
    func identity(_ operation: ItemOperation) throws {
        let stage = try IdentityStage()
        let keychain = stage.keychain
        for (issued, name) in [(stage.first, "First"), (stage.second, "Second")] {
            #expect(try stage.add(issued, ["labl": .string(name)]).code == .success)
        }
        let key = keychain.perform(
            .find, ["class": .string("keys"), "labl": .string("First"), "r_Attributes": .boolean(true)])
        guard case .dictionary(let attributes)? = key.result, let digest = attributes["sha1"] else {
            throw Unexpected()
        }
        func call(_ digest: PropertyValue) -> ItemReply {
            keychain.perform(
                operation, ["class": .string("idnt"), "sha1": digest],
                changes: operation == .update ? ["labl": .string("changed")] : [:])
        }
        let before = try keychain.raw { try Row.fetchAll($0, sql: "SELECT * FROM keys") }
        #expect(call(Name.digest.none).code == .itemNotFound)
        #expect(try keychain.raw { try Row.fetchAll($0, sql: "SELECT * FROM keys") } == before)
        let reply = call(digest)
        #expect(reply.code == .success, "\(String(describing: reply.refusal))")
        #expect(keychain.status?.quarantinedRows == 0)
        let other = keychain.perform(.find, ["class": .string("idnt"), "labl": .string("Second")])
        #expect(other.code == .success)
    }
}
