import PropertyListDER

/// `kSecReturn…` and `kSecUse…` keys.
enum ReturnAndUseKeys {
    private static let returns: [String: ItemQuery.Returns] = [
        "r_Data": .data, "r_Attributes": .attributes, "r_Ref": .reference, "r_PersistentRef": .persistentReference,
    ]

    /// Keys that are taken and have no effect here.
    private static let withoutEffect: Set<String> = ["u_CallerName", "u_TokenRawItems", "u_CertWithIssuers"]

    /// Keys that only Apple's own programs may set to true.
    private static let needsEntitlement: Set<String> = [
        "u_SystemKeychain", "u_SyncBubbleKeychain", "u_SystemKeychainAlways", "u_UserIndependentKeychain",
    ]

    static func read(
        _ pairs: [(key: String, value: PropertyValue)], for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        var needsEntitlement: String?
        // In the order of their names, so that the answer does not depend on the order of the pairs.
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
            if key.hasPrefix("r_") {
                try readReturn(key, value, into: &query)
            } else if Self.needsEntitlement.contains(key) {
                if try truth(value, of: key) { needsEntitlement = key }
            } else {
                try readUse(key, value, into: &query)
            }
        }
        if let needsEntitlement { throw .privateKey(needsEntitlement) }
        if call == .update, !query.returns.isEmpty {
            throw .notAllowedHere("kSecReturn…", in: call.rawValue, advice: "An update returns nothing: leave it out.")
        }
        if call != .find, query.authenticationUI == .skip {
            throw .notAllowedHere(
                "kSecUseAuthenticationUISkip", in: call.rawValue, advice: "Skipping is for SecItemCopyMatching only.")
        }
    }

    private static func readReturn(
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        guard let flag = returns[key] else { throw .unknownKey(key) }
        if try truth(value, of: key) { query.returns.insert(flag) }
    }

    private static func readUse(
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        switch key {
        case "u_Tomb":
            query.leavesTombstones = try truth(value, of: key)
        case "u_AuthUI":
            switch value {
            case .string("u_AuthUIA"): query.authenticationUI = .allow
            case .string("u_AuthUIF"): query.authenticationUI = .fail
            case .string("u_AuthUIS"): query.authenticationUI = .skip
            default: throw .badValue(of: "kSecUseAuthenticationUI", expected: "one of its three constants")
            }
        case "u_NoAuthUI":
            if try truth(value, of: key) { query.authenticationUI = .fail }
        case "u_OpPrompt":
            guard case .string = value else { throw .badValue(of: "kSecUseOperationPrompt", expected: "text") }
        case "u_AuthCtx", "u_CredRef":
            throw QueryRefusal(
                .authFailed, "no-authentication-context", "The authentication context cannot be used here.",
                advice: "Leave kSecUseAuthenticationContext out: no item of this version asks for authentication.")
        case "u_ItemList":
            throw .unknownKey("kSecUseItemList", advice: "Lists of items exist in the file keychain of macOS only.")
        case _ where withoutEffect.contains(key):
            return
        default:
            throw .unknownKey(key)
        }
    }

    private static func truth(_ value: PropertyValue, of key: String) throws(QueryRefusal) -> Bool {
        guard case .boolean(let truth) = value else { throw .badValue(of: key, expected: "a Boolean") }
        return truth
    }
}
