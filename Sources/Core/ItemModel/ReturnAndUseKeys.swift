import LatchkeyPropertyListDER

/// `kSecReturn…` and `kSecUse…` keys.
enum ReturnAndUseKeys {
    private static let returns: [String: ItemQuery.Returns] = [
        "r_Data": .data, "r_Attributes": .attributes, "r_Ref": .reference, "r_PersistentRef": .persistentReference,
    ]

    /// The kind of reference that stands for an `LAContext` of this process.
    private static let authenticationContext = "LAContext"

    /// Keys that are accepted and have no effect here.
    private static let withoutEffect: Set<String> = ["u_CallerName", "u_TokenRawItems", "u_CertWithIssuers"]

    /// Keys that only Apple's own programs may set to true.
    private static let needsEntitlement: Set<String> = [
        "u_SystemKeychain", "u_SyncBubbleKeychain", "u_SystemKeychainAlways", "u_UserIndependentKeychain",
    ]

    static func read(
        _ pairs: SortedPairs, for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        var needsEntitlement: String?
        var namesCredential = false
        for (key, value) in pairs.all(.returnOrUse) {
            if key.hasPrefix("r_") {
                try readReturn(key, value, into: &query)
            } else if Self.needsEntitlement.contains(key) {
                if try truth(value, of: key) { needsEntitlement = key }
            } else {
                try readUse(key, value, into: &query, &namesCredential)
            }
        }
        if namesCredential { throw query.namesContext ? .contextAndCredential : .noContext }
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
        _ key: String, _ value: PropertyValue, into query: inout ItemQuery, _ namesCredential: inout Bool
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
            guard case .string(let prompt) = value else {
                throw .badValue(of: "kSecUseOperationPrompt", expected: "text")
            }
            query.operationPrompt = prompt
        case "u_AuthCtx":
            guard case .reference(authenticationContext, _) = value else { throw .noContext }
            query.namesContext = true
        case "u_CredRef":
            namesCredential = true
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

extension QueryRefusal {
    fileprivate static let noContext = QueryRefusal(.authFailed, .noAuthenticationContext)

    fileprivate static let contextAndCredential = QueryRefusal(.param, .contextAndCredential)
}
