import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@testable import LatchkeyKeychainService

@Suite("A find whose answer is larger than a message")
struct LargeAnswerTests {
    /// Accounts and the first byte of each secret. The first forty secrets are a mebibyte long, and all are two pages
    /// of a search.
    private static let items = (1...340).map { (account: "account \($0)", mark: UInt8($0 % 100), isLarge: $0 <= 40) }

    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain()
        for item in Self.items { #expect(put(item.account, item.mark, item.isLarge ? 1 << 20 : 1) == .success) }
    }

    private func put(_ account: String, _ mark: UInt8, _ byteCount: Int = 1) -> ResultCode {
        let request = ItemRequest(
            operation: .add,
            query: [
                QueryPair("class", .string("genp")), QueryPair("acct", .string(account)),
                QueryPair("svce", .string("s")), QueryPair("v_Data", .secret(0)),
            ], wantsResult: false, secrets: [SecretBox(copying: [UInt8](repeating: mark, count: byteCount))])
        return keychain.service.perform(request, caller: TestKeychain.caller).code
    }

    private static let all = ItemRequest(
        operation: .find,
        query: [
            QueryPair("class", .string("genp")), QueryPair("m_Limit", .string("m_LimitAll")),
            QueryPair("r_Attributes", .boolean(true)), QueryPair("r_Data", .boolean(true)),
        ], wantsResult: true)

    /// Finds all, and calls `body` after each part but the last.
    private func find(
        _ request: ItemRequest = all, session: ServiceSession? = nil, after body: (Int) -> Bool
    ) -> (reply: ItemReply, parts: Int) {
        withoutActuallyEscaping(body) { body in
            var (joined, parts) = (JoinedParts(), 0)
            func take(_ part: ItemReplyPart) -> Bool {
                parts += 1
                do {
                    try joined.add(part)
                    return true
                } catch {
                    Issue.record("\(error)")
                    return false
                }
            }
            let last = keychain.service.find(request, caller: TestKeychain.caller, session: session) { part in
                take(part) && body(parts)
            }
            _ = take(last)
            return (joined.reply, parts)
        }
    }

    private func marks(_ reply: ItemReply) -> [String: UInt8] {
        guard case .array(let entries)? = reply.result else { return [:] }
        return entries.reduce(into: [:]) { marks, entry in
            guard case .dictionary(let item) = entry, case .string(let account)? = item["acct"],
                case .secret(let index)? = item["v_Data"], marks[account] == nil
            else {
                Issue.record("an item twice, or without its data")
                return
            }
            marks[account] = reply.secrets[index].withBytes { $0.first }
        }
    }

    @Test("comes in parts, and has each item of one state once, however others write meanwhile")
    func oneState() {
        let found = find { part in
            // An app replaces its items: some that were read, some that were not.
            for item in Self.items where Int(item.mark) % 3 == part % 3 {
                _ = keychain.perform(.delete, ["acct": .string(item.account)])
                #expect(put(item.account, 200) == .success)
            }
            #expect(put("new \(part)", 201) == .success)
            return true
        }
        #expect(found.parts == 3 && found.reply.code == .success)
        #expect(marks(found.reply) == Dictionary(uniqueKeysWithValues: Self.items.map { ($0.account, $0.mark) }))
        #expect(marks(find { _ in true }.reply).count == Self.items.count + 2)
    }

    @Test("ends with the refusal if the device is locked meanwhile, with what was not opened before")
    func locked() throws {
        let passcode = SecretBox(copying: Array("1234".utf8))
        try keychain.service.ask(SetPasscode(passcode), caller: TestKeychain.caller)
        let found = find { _ in
            (try? keychain.service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)) != nil
        }
        #expect(found.parts == 2 && found.reply.code == .interactionNotAllowed && found.reply.result == nil)
    }

    @Test("ends when the program has gone away")
    func abandoned() {
        let found = find { _ in false }
        #expect(found.parts == 2 && found.reply.code == .userCanceled)
    }

    @Test("of one item is never in parts")
    func single() {
        #expect(put("large", 99, 16 << 20) == .success)
        var request = Self.all
        request.query.removeAll { $0.key == .string("m_Limit") }
        request.query.append(QueryPair("acct", .string("large")))
        let found = find(request) { _ in false }
        #expect(found.parts == 1 && found.reply.code == .success && found.reply.secrets.first?.count == 16 << 20)
    }

    @Test("an item that was written since a search could not read it stays")
    func stale() throws {
        var filter = RowFilter(itemClass: .genericPassword)
        filter.accessGroups = ["g"]
        let rows = try keychain.service.store.rows(matching: filter, limit: 3, withSecret: false)
        let ended = keychain.service.items.vault.ended
        #expect(
            keychain.perform(.update, ["acct": .string("account 1")], changes: ["labl": .string("x")]).code == .success)
        _ = keychain.perform(.delete, ["acct": .string("account 2")])
        ended.setAside(rows.map { (row: $0, refusal: KeyRefusal.damaged) })
        // The third was the only one that is still as it was read.
        #expect(
            marks(find { _ in true }.reply).keys.sorted()
                == Self.items.map(\.account).filter {
                    $0 != "account 2" && $0 != "account 3"
                }.sorted())
    }
}
