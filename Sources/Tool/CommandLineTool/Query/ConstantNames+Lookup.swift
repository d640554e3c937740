extension ConstantNames {
    /// The dictionary key that a user means: a raw code as it is, or a constant's name with or without `kSec`,
    /// `kSecAttr`, capitals and hyphens.
    package static func key(from text: String) -> String? {
        if rawKeys.contains(text) { return text }
        return keysByName[plain(text)]
    }

    /// The text that a constant stands for, where `text` is its whole name (`kSecAttrAccessibleWhenUnlocked`).
    package static func value(ofConstant text: String) -> String? {
        guard text.hasPrefix("kSec") else { return nil }
        return table.first { $0.name == text }?.value
    }

    /// The name of an attribute for people: `acct` is `account`.
    package static func readableName(ofKey key: String) -> String? {
        readableNames[key]
    }

    private static let prefixes = ["kSecAttr", "kSec"]

    /// Values of attributes that share the spelling of an attribute's constant.
    private static let valuePrefixes = [
        "kSecAttrAccessible", "kSecAttrProtocol", "kSecAttrAuthenticationType", "kSecAttrKeyClass", "kSecAttrKeyType",
        "kSecAttrKeySize", "kSecAttrTokenID", "kSecAttrSynchronizable", "kSecAttrAccessGroup", "kSecMatchLimit",
        "kSecClass", "kSecUseAuthenticationUI", "kSecAttrSharingGroup",
    ]

    private static let keyRows = table.filter { row in
        !valuePrefixes.contains { row.name.hasPrefix($0) && row.name != $0 } || row.name == "kSecAttrKeySizeInBits"
    }

    private static let rawKeys = Set(keyRows.map(\.value))

    private static let keysByName: [String: String] = {
        var names: [String: String] = [:]
        for prefix in prefixes {
            for row in keyRows where row.name.hasPrefix(prefix) {
                let name = plain(String(row.name.dropFirst(prefix.count)))
                if names[name] == nil { names[name] = row.value }
                names[plain(row.name)] = row.value
            }
        }
        return names
    }()

    private static let readableNames: [String: String] = {
        var names: [String: String] = [:]
        for row in keyRows where names[row.value] == nil && row.name.hasPrefix("kSecAttr") {
            names[row.value] = words(String(row.name.dropFirst("kSecAttr".count)))
        }
        names["class"] = "class"
        names["v_Data"] = "password"
        return names
    }()

    private static func plain(_ text: String) -> String {
        text.lowercased().filter { $0 != "-" && $0 != "_" }
    }

    /// `CreationDate` as `creation date`.
    private static func words(_ name: String) -> String {
        var words = ""
        var previousWasCapital = true
        for character in name {
            if character.isUppercase && !previousWasCapital { words.append(" ") }
            previousWasCapital = character.isUppercase
            words.append(previousWasCapital ? character.lowercased() : String(character))
        }
        return words
    }
}
