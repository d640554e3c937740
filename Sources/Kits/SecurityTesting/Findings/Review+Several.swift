import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

// Findings that need another look into the keychain: whether more items fit than the app's call shows. The kit makes
// one more find of persistent references, which never shows a prompt.

extension Review {
    /// A search for one item that several items fit.
    static func oneOfSeveral(_ request: ItemRequest, _ reply: ItemReply, in keychain: any Keychain) -> Flaw? {
        guard request.operation == .find, reply.code == .success, reply.result != nil, request.isForOne,
            !request.namesOneItem
        else { return nil }
        let question = request.query.filter { !$0.isAbout(["r_", "m_Limit", "u_"]) }
        guard fitsSeveral(question, in: keychain) else { return nil }
        return Flaw(
            kind: .oneOfSeveral, call: .copyMatching,
            reason: "The search is for one item, and several fit; which of them is returned is not promised.",
            advice: "Name the whole primary key in the query (account and service; account, server, protocol, port and "
                + "path; class, label and tag of a key), or ask for all with kSecMatchLimitAll and choose.")
    }

    /// A key that was stored under the tag, or the label, of another key of its class and type.
    static func severalKeys(_ request: ItemRequest, _ reply: ItemReply, in keychain: any Keychain) -> Flaw? {
        guard request.operation == .add, reply.code == .success,
            request.value(of: "class") == .string(ItemClass.key.rawValue),
            let name = [AttributeName.applicationTag, .label].first(where: { request.value(of: $0) != nil })
        else { return nil }
        let asked: [AttributeName] = [name, .keyClass, .type, .accessGroup, .synchronizable, .tokenID]
        let question = request.query.filter { pair in
            pair.key == .string("class") || pair.name.map { asked.contains($0) } ?? false
        }
        guard fitsSeveral(question, in: keychain) else { return nil }
        return Flaw(
            kind: .severalKeysUnderOneName, call: .add,
            reason:
                "Another key has the same \(name == .applicationTag ? "kSecAttrApplicationTag" : "kSecAttrLabel"). Keys with "
                + "different numbers are not duplicates, and a search by that name finds any of them.",
            advice: "Look for the key before making one, or delete the former key first.")
    }

    /// An item whose group is the first in the app's entitlements, whichever that is. A password item without a password
    /// holds nothing: it is stored to see which group that is, as Lockbox does.
    static func noAccessGroup(_ request: ItemRequest, _ reply: ItemReply, _ caller: Caller) -> Flaw? {
        let groups = caller.accessGroups.filter { $0 != AccessGroupList.token }
        guard request.operation == .add, reply.code == .success, groups.count > 1,
            request.value(of: .accessGroup) == nil,
            !request.secrets.isEmpty || request.value(of: "class") != .string(ItemClass.genericPassword.rawValue)
        else { return nil }
        return Flaw(
            kind: .noAccessGroup, call: .add,
            reason: "The app has \(groups.count) access groups and names none, so the item is in the first one, "
                + "\(groups[0]): a change of the entitlements' order moves new items elsewhere.",
            advice: "Write kSecAttrAccessGroup.")
    }

    private static func fitsSeveral(_ query: [QueryPair], in keychain: any Keychain) -> Bool {
        references(query, limit: .integer(2), in: keychain).count > 1
    }
}

extension ItemRequest {
    /// Parts of the primary key that together leave one item in a group: with them the search means that one.
    private static func names(_ itemClass: ItemClass) -> Set<AttributeName> {
        switch itemClass {
        case .genericPassword: [.account, .service]
        case .internetPassword: [.account, .server, .protocol, .port, .path]
        case .key: [.applicationLabel, .keyClass]
        case .certificate: [.issuer, .serialNumber]
        case .identity: [.issuer, .serialNumber, .applicationLabel]
        }
    }

    fileprivate func value(of name: AttributeName) -> PropertyValue? { value(of: name.rawValue) }

    fileprivate func value(of name: String) -> PropertyValue? {
        query.first { $0.key == .string(name) }?.value
    }

    var isForOne: Bool {
        switch value(of: "m_Limit") {
        case nil, .string("m_LimitOne")?, .integer(1)?: true
        default: false
        }
    }

    fileprivate var namesOneItem: Bool {
        guard value(of: "v_PersistentRef") == nil else { return true }
        guard case .string(let name)? = value(of: "class"), let itemClass = ItemClass(rawValue: name) else {
            return false
        }
        return Self.names(itemClass).allSatisfy { value(of: $0) != nil }
    }
}
