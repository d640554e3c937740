package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `latchkey item`: the four calls of the keychain with any query.
package struct ItemCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "item", abstract: "Any query: key=value arguments are the dictionary of the call.",
        discussion: """
            Keys are raw codes (acct) or names of constants (account, kSecAttrAccount, MatchLimit, ReturnData). Values \
            are text, or typed with int: bool: hex: date: text:. For instance:

              latchkey item add class=genp account=alice service=mail accessible=when-unlocked
              latchkey item find class=genp service=mail MatchLimit=all
              latchkey item update class=genp account=alice service=mail --set label=Post --secret
              latchkey item delete class=genp account=alice service=mail
            """,
        subcommands: [Add.self, Find.self, Update.self, Delete.self, ItemGone.self])

    package init() {}

    /// `latchkey item add`.
    package struct Add: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add an item; its secret is asked for or read from standard input.")

        @Flag(help: "An item without a secret.")
        package var withoutSecret = false

        @OptionGroup package var secret: SecretOptions
        @OptionGroup package var query: QueryArguments
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            var pairs = try query.pairs()
            let device = try DeviceAccess(common, makesDevice: true, speaksFlags: false)
            let owner = try query.authority(device, common)
            var secrets: [SecretBox] = []
            if !withoutSecret {
                secrets.append(try secret.read(common))
                pairs.append(QueryPair("v_Data", .secret(0)))
            }
            let wantsResult = pairs.contains { $0.isReturnKey }
            let reply = try device.perform(
                ItemRequest(
                    operation: .add, query: pairs, wantsResult: wantsResult, secrets: secrets, owner: owner))
            guard let result = reply.result else { return .done("The item is added.") }
            let listing = ItemListing(secrets: reply.secrets)
            return Report(pieces: listing.pieces(result: result), json: listing.json(result))
        }
    }

    /// `latchkey item find`.
    package struct Find: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "find", abstract: "Find items. Without a Return key in the query their attributes are shown.",
            discussion: "With --raw, --hex or -o the secret of one item is written, and nothing else.")

        @OptionGroup package var output: SecretOutput
        @OptionGroup package var query: QueryArguments
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            guard !output.isWanted else { return try secretAlone() }
            var pairs = try query.pairs()
            if !pairs.contains(where: \.isReturnKey) { pairs.append(QueryPair("r_Attributes", .boolean(true))) }
            let device = try DeviceAccess(common, speaksFlags: false)
            let owner = try query.authority(device, common)
            let reply = try device.perform(
                ItemRequest(operation: .find, query: pairs, wantsResult: true, owner: owner))
            let listing = ItemListing(secrets: reply.secrets)
            let result = reply.result ?? .null
            return Report(pieces: listing.pieces(result: result), json: listing.json(result))
        }

        private func secretAlone() throws(CommandFailure) -> Report {
            var pairs = try query.pairs()
            guard pairs.allSatisfy({ !$0.isReturnKey || $0.key == .string("r_Data") }),
                pairs.allSatisfy({ $0.key != .string("m_Limit") || $0.value == .string("m_LimitOne") })
            else {
                throw CommandFailure(
                    .usage, "--raw, --hex and -o write the secret of one item, and nothing else.",
                    advice: "Leave out the Return keys and MatchLimit.")
            }
            pairs = pairs.filter { !$0.isReturnKey } + [QueryPair("r_Data", .boolean(true))]
            let device = try DeviceAccess(common, speaksFlags: false)
            let owner = try query.authority(device, common)
            let reply = try device.perform(
                ItemRequest(operation: .find, query: pairs, wantsResult: true, owner: owner))
            let json = ItemListing(secrets: reply.secrets).json(reply.result ?? .null)
            switch reply.result {
            case .secret(let index)? where reply.secrets.indices.contains(index):
                return try output.report(reply.secrets[index], json: json, asJSON: common.json)
            case .data(let bytes)?:
                return try output.report(SecretBox(copying: bytes), json: json, asJSON: common.json)
            default: throw .noSecret
            }
        }
    }

    /// `latchkey item update`.
    package struct Update: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Change every item that fits.")

        @Option(
            parsing: .upToNextOption,
            help: ArgumentHelp("What to change; may be given several times.", valueName: "key=value"))
        package var `set`: [String] = []

        @Flag(help: "Change every item of the class although the query names none of them.")
        package var all = false

        @Flag(name: .customLong("secret"), help: "Change the secret, too: it is asked for or read from standard input.")
        package var changesSecret = false

        @OptionGroup package var secret: SecretOptions
        @OptionGroup package var query: QueryArguments
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let pairs = try query.pairs()
            if !all { try QueryArguments.expectSelector(in: pairs, "changed") }
            var changes = try QueryArguments.pairs(`set`)
            let device = try DeviceAccess(common, changes: true, speaksFlags: false)
            let owner = try query.authority(device, common)
            var secrets: [SecretBox] = []
            if changesSecret || secret.secretFd != nil {
                secrets.append(try secret.read(common))
                changes.append(QueryPair("v_Data", .secret(0)))
            }
            let reply = try device.perform(
                ItemRequest(
                    operation: .update, query: pairs, changes: changes, wantsResult: false, secrets: secrets,
                    owner: owner))
            return Report(
                "\(ItemCount.text(reply.affectedRows)) changed.",
                json: .object([("changed", .integer(Int64(reply.affectedRows)))]))
        }
    }

    /// `latchkey item delete`.
    package struct Delete: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete every item that fits.")

        @Flag(help: "Delete every item of the class although the query names none of them.")
        package var all = false

        @OptionGroup package var query: QueryArguments
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let pairs = try query.pairs()
            if !all { try QueryArguments.expectSelector(in: pairs, "deleted") }
            let device = try DeviceAccess(common, changes: true, speaksFlags: false)
            let owner = try query.authority(device, common)
            let reply = try device.perform(
                ItemRequest(operation: .delete, query: pairs, wantsResult: false, owner: owner))
            return Report(
                "\(ItemCount.text(reply.affectedRows)) deleted.",
                json: .object([("deleted", .integer(Int64(reply.affectedRows)))]))
        }
    }
}

/// Where the secret of an item comes from, other than the terminal and standard input.
package struct SecretOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read the secret from this descriptor.", valueName: "n"))
    package var secretFd: Int32?

    @Flag(help: "The secret is given in hexadecimal.")
    package var hexadecimal = false

    @Flag(help: "The input is the secret byte for byte, also a newline at its end.")
    package var raw = false

    package init() {}

    package mutating func validate() throws {
        guard !raw || !hexadecimal else { throw ValidationError("--raw and --hexadecimal exclude each other.") }
    }

    func read(_ common: CommonOptions) throws(CommandFailure) -> SecretBox {
        try SecretSource(passcodeDescriptor: common.passcodeFd, secretDescriptor: secretFd)
            .newSecret(hexadecimal ? .hexadecimal : raw ? .exact : .text)
    }
}

/// The `key=value` arguments of a query.
package struct QueryArguments: ParsableArguments {
    @Option(help: "An access group that is not this tool's own. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @Argument(help: ArgumentHelp("The query.", valueName: "key=value"))
    package var query: [String] = []

    package init() {}

    func pairs() throws(CommandFailure) -> [QueryPair] {
        var pairs = try Self.pairs(query)
        if let accessGroup, accessGroup != "*" { pairs.append(QueryPair(.accessGroup, .string(accessGroup))) }
        return pairs
    }

    /// The group that the query names, in whichever way, needs the owner's authority.
    func authority(_ device: DeviceAccess, _ common: CommonOptions) throws(CommandFailure) -> OwnerAuthority? {
        let named = try pairs().first { $0.name == .accessGroup }
        guard case .string(let group)? = named?.value else {
            return try device.authority(for: accessGroup, secrets: common.secrets)
        }
        return try device.authority(for: group, secrets: common.secrets)
    }

    /// Attributes that every item of a class has: they do not name an item.
    private static let scopes: Set<String> = [
        "class", AttributeName.accessGroup.rawValue, AttributeName.accessible.rawValue,
        AttributeName.synchronizable.rawValue, "m_Limit",
    ]

    /// Refuses a query that fits every item of a class: it is more likely a variable of a script that is empty than a wish.
    static func expectSelector(in pairs: [QueryPair], _ done: String) throws(CommandFailure) {
        let names = pairs.compactMap { pair -> String? in
            if case .string(let key) = pair.key { key } else { nil }
        }
        guard !names.contains(where: { !scopes.contains($0) && !$0.hasPrefix("u_") }) else {
            return
        }
        throw CommandFailure(
            .usage, "Nothing says which items are meant, and nothing was \(done).",
            why: "The query names no attribute of an item, so it fits all of them.",
            advice: "Name an attribute, for instance service=mail, or say --all.")
    }

    static func pairs(_ texts: [String]) throws(CommandFailure) -> [QueryPair] {
        var pairs: [QueryPair] = []
        for text in texts {
            do {
                pairs.append(try KeyValue(text).pair)
            } catch {
                throw CommandFailure(error)
            }
        }
        let keys = pairs.map(\.key)
        guard Swift.Set(keys).count == keys.count else {
            throw CommandFailure(.usage, "A key is given twice.", why: "A dictionary has each key once.")
        }
        return pairs
    }
}

extension QueryPair {
    var isReturnKey: Bool {
        guard case .string(let key) = key else { return false }
        return key.hasPrefix("r_")
    }
}
