import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// A keychain whose device has a passcode and is in a circle. All of them are in one circle.
final class MemberKeychain: Sendable {
    static let passcode = "1234"
    static let caller = Caller(name: "app", accessGroups: ["group.app", "group.other", "local"])
    static let shared: [String: PropertyValue] = ["sync": .boolean(true), "svce": .string("s")]

    let keychain: TestKeychain
    let device: [UInt8]

    var items: SharedItems { keychain.service.shared }

    init(_ number: UInt8 = 1, directory: String? = nil, isNew: Bool = true) throws {
        keychain = try TestKeychain(directory)
        device = [UInt8](repeating: number, count: 16)
        guard isNew else { return }
        try ask(SetPasscode(secret(Self.passcode)))
        try items.enterCircle(as: device)
        lend()
    }

    /// Lends the keys of the circle, as the exchange does after each change of the enclave's keys.
    func lend(zoneA: Bool = true, allowing groups: Set<String> = []) {
        items.lend(
            SharingKeys(
                device: device, name: secret("name"), digestA: zoneA ? secret("digest a") : nil,
                digestC: secret("digest c"), allowedGroups: groups),
            since: keychain.mailbox.keyEpoch)
    }

    func ask(_ question: some ForwardedQuestion) throws {
        try keychain.service.ask(question, caller: TestKeychain.caller)
    }

    /// Locks the device. Zone A has no key until the next unlock.
    func lock() throws {
        try ask(LockDevice(immediately: true))
        lend(zoneA: false)
    }

    func unlock() throws {
        try ask(UnlockDevice(secret(Self.passcode)))
        lend()
    }

    @discardableResult
    func add(
        _ account: String, _ text: String = "secret", _ more: [String: PropertyValue] = [:]
    ) -> LatchkeyItemModel.ResultCode {
        let attributes = Self.shared.merging(["acct": .string(account)]) { $1 }.merging(more) { $1 }
        return keychain.perform(.add, attributes, secret: text, caller: Self.caller).code
    }

    @discardableResult
    func update(
        _ account: String, _ changes: [String: PropertyValue] = [:], secret text: String? = nil
    ) -> LatchkeyItemModel.ResultCode {
        keychain.perform(
            .update, ["acct": .string(account), "sync": .string("syna")], secret: text, changes: changes,
            caller: Self.caller
        ).code
    }

    @discardableResult
    func delete(_ account: String, _ more: [String: PropertyValue] = [:]) -> LatchkeyItemModel.ResultCode {
        let query: [String: PropertyValue] = ["acct": .string(account), "sync": .string("syna")]
        return keychain.perform(.delete, query.merging(more) { $1 }, caller: Self.caller).code
    }

    /// The secret and the attributes of an item.
    func find(_ account: String) -> (secret: String, attributes: [String: PropertyValue])? {
        let reply = keychain.perform(
            .find,
            [
                "acct": .string(account), "sync": .string("syna"), "r_Data": .boolean(true),
                "r_Attributes": .boolean(true), "r_PersistentRef": .boolean(true),
            ], caller: Self.caller)
        guard case .dictionary(let attributes)? = reply.result, let secret = reply.secrets.first else { return nil }
        return (secret.withBytes { String(decoding: $0, as: UTF8.self) }, attributes)
    }

    var changes: [SyncChangeRow] {
        get throws { try items.read { try $0.syncChanges() } }
    }

    /// Forgets the changes as if they had been reported. Their items have a version then.
    func report() throws {
        let changes = try changes
        try items.commit([], knowing: .max) { _, writer in
            for change in changes {
                try writer.setSyncItem(Self.version(1), named: change.name)
                try writer.forgetSyncChange(of: change.name, upTo: change.number)
            }
        }
    }

    /// The one name that waits to be reported.
    func reportedName() throws -> [UInt8] {
        let name = try #require(try changes.last?.name)
        try report()
        return name
    }

    static func version(_ number: UInt8) -> SyncVersionRow {
        SyncVersionRow(
            version: [UInt8](repeating: number, count: 32), base: nil, dot: nil, state: 1, zone: 2, digest: nil)
    }

    /// Writes an item of another device here, with everything that belongs to it.
    func receive(_ name: [UInt8], from other: MemberKeychain) throws {
        let found = try #require(try other.items.item(named: name))
        let prepared = try items.prepared(RemoteItem(name: name, item: found.item, secret: found.secret))
        try items.commit([name], knowing: 0) { rows, writer in
            try rows.put(prepared, writer)
            try writer.setSyncItem(Self.version(2), named: name)
        }
    }

    func receiveDeletion(of name: [UInt8]) throws {
        try items.commit([name], knowing: 0) { rows, writer in
            try rows.keepConflict(named: name, version: nil, reason: .deleted, writer)
            try rows.remove(named: name, writer)
            try writer.setSyncItem(Self.version(3), named: name)
        }
    }
}

extension SharedItems {
    /// Names every row that opens now.
    /// - Returns: the number of rows that no longer wait.
    func nameRows() throws(CallFailure) -> Int {
        var part = try nameRows(after: nil)
        var named = part.named
        while let end = part.end {
            part = try nameRows(after: end)
            named += part.named
        }
        return named
    }
}
