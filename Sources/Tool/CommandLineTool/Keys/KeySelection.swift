package import ArgumentParser
import LatchkeyEncoding
package import LatchkeyItemModel
import LatchkeyPropertyListDER

/// The flags that name a key of the keychain.
package struct KeySelection: ParsableArguments {
    @Option(name: [.customShort("l"), .long], help: "The key's label.")
    package var label: String?

    @Option(help: "The key's application tag.")
    package var tag: String?

    @Option(
        help: ArgumentHelp(
            "The key's application label: the SHA-1 of its public half, as `key list` shows it.",
            valueName: "40 hexadecimal digits"))
    package var id: String?

    @OptionGroup package var group: GroupOption

    package init() {}

    /// The attributes that a search for the key names; refused if there are none.
    package func pairs() throws(CommandFailure) -> [QueryPair] {
        var pairs: [QueryPair] = []
        if let label { pairs.append(QueryPair(.label, .string(label))) }
        if let tag { pairs.append(QueryPair(.applicationTag, .data(Array(tag.utf8)))) }
        if let id { pairs.append(QueryPair(.applicationLabel, .data(try Self.digest(id)))) }
        guard !pairs.isEmpty else {
            throw CommandFailure(
                .usage, "No key is named.",
                advice: "Name one with --label, --tag or --id; `latchkey key list` has them.")
        }
        return pairs + group.pairs
    }

    /// The 20 bytes of an application label.
    static func digest(_ text: String) throws(CommandFailure) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(from: text.utf8), bytes.count == 20 else {
            throw CommandFailure(
                .usage, "The value of --id is not an application label.", why: "Expected: 40 hexadecimal digits.",
                advice: "`latchkey key list` shows it.")
        }
        return bytes
    }
}

/// The access group that a command acts in, if it is not the tool's own.
package struct GroupOption: ParsableArguments {
    @Option(help: "An access group that is not this tool's own. Asks for the device passcode, each time.")
    package var accessGroup: String?

    package init() {}

    /// The attributes of a query for it.
    package var pairs: [QueryPair] {
        guard let accessGroup, accessGroup != "*" else { return [] }
        return [QueryPair(.accessGroup, .string(accessGroup))]
    }
}

/// When a new item can be used, as a pair of its query.
enum ProtectionPair {
    static func pairs(_ accessible: String?) throws(CommandFailure) -> [QueryPair] {
        guard let code = try code(accessible) else { return [] }
        return [QueryPair(.accessible, .string(code))]
    }

    static func code(_ accessible: String?) throws(CommandFailure) -> String? {
        guard let accessible else { return nil }
        guard let code = AccessibleName.code(from: accessible) else {
            throw CommandFailure(
                .usage, "No protection class is called \"\(accessible)\".",
                advice: "Choose one of: \(AccessibleName.choices).")
        }
        return code
    }
}
