package import ArgumentParser
import Glibc
package import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPrompt
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Where the password of an encrypted file comes from: a terminal without echo, standard input, a descriptor, or an item
/// of the keychain.
package struct FilePassword: ParsableArguments {
    @Option(help: ArgumentHelp("Read the password, one line, from this descriptor instead.", valueName: "n"))
    package var passwordFd: Int32?

    @Option(name: [.customShort("s"), .long], help: "Use the generic password of this service.")
    package var service: String?

    @Option(name: [.customShort("a"), .long], help: "Use the generic password of this account.")
    package var account: String?

    @Option(name: [.customShort("l"), .long], help: "Use the generic password with this label.")
    package var label: String?

    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var group: GroupOption

    package init() {}

    /// The attributes that a search for the item names; empty if the password does not come from an item.
    package var itemPairs: [QueryPair] {
        [(.service, service), (.account, account), (.label, label)].compactMap { key, value in
            value.map { QueryPair(key, .string($0)) }
        }
    }

    func validate(standardInputIsFile: Bool, _ common: CommonOptions) throws {
        let isOfItem = !itemPairs.isEmpty
        if isOfItem, passwordFd != nil {
            throw ValidationError("--password-fd and a password of the keychain (-s, -a, -l) exclude each other.")
        }
        guard isOfItem || (group.accessGroup == nil && asking.prompt == nil && !asking.noPrompt) else {
            throw ValidationError(
                "--access-group, --prompt and --no-prompt are about a password of the keychain: name it with -s, -a or -l."
            )
        }
        guard standardInputIsFile else { return }
        if passwordFd == STDIN_FILENO { throw ValidationError("Standard input has the file, and not the password.") }
        if common.passcodeFd == STDIN_FILENO || (group.accessGroup != nil && common.passcodeFd == nil) {
            throw ValidationError(
                "Standard input has the file, and not the device passcode: use --passcode-fd, or name the file.")
        }
    }

    /// Refuses a source that is not there, before a file is opened.
    func checkSource(standardInputIsFile: Bool) throws(CommandFailure) {
        guard itemPairs.isEmpty, passwordFd != nil || !standardInputIsFile else { return }
        try PasswordEntry.check(passwordFd)
    }

    /// The password that opens `name`.
    func password(
        for name: String, standardInputIsFile: Bool, _ common: CommonOptions
    ) throws(CommandFailure) -> SecretBox {
        guard itemPairs.isEmpty else { return try item(common) }
        let entry = try PasswordEntry(descriptor: passwordFd, standardInputIsFile: standardInputIsFile)
        return try entry.line(prompt: "Password of \(PlainText.escaped(name)): ")
    }

    /// The password of something new: on a terminal it is asked for twice.
    func newPassword(
        for name: String, standardInputIsFile: Bool, _ common: CommonOptions
    ) throws(CommandFailure) -> SecretBox {
        guard itemPairs.isEmpty else { return try item(common) }
        let entry = try PasswordEntry(descriptor: passwordFd, standardInputIsFile: standardInputIsFile)
        let first = try entry.line(prompt: "New password for \(PlainText.escaped(name)): ")
        guard entry.isTerminal else { return first }
        guard try first.equals(entry.line(prompt: "The same again: ")) else {
            throw CommandFailure(.entriesDiffer, reading: "password")
        }
        return first
    }

    /// The secret of the one item that fits.
    private func item(_ common: CommonOptions) throws(CommandFailure) -> SecretBox {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
        let query =
            [QueryPair("class", .string("genp")), QueryPair(.synchronizable, .string("syna"))] + itemPairs + group.pairs
        let all = ItemRequest(
            operation: .find,
            query: query + [QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Attributes", .boolean(true))],
            wantsResult: true, owner: owner)
        let found = try device.perform(all).items
        guard found.count == 1, let attributes = found.first else {
            throw CommandFailure(
                .ambiguousItem, "\(found.count) passwords fit, and none was used.",
                why: "A file is encrypted with exactly one.", advice: "Name service (-s) and account (-a).")
        }
        // That item and no other, whatever was added since.
        let named = [.service, .account, .accessGroup].compactMap { key in attributes[key].map { QueryPair(key, $0) } }
        let one = ItemRequest(
            operation: .find,
            query: [
                QueryPair("class", .string("genp")),
                QueryPair(.synchronizable, attributes[.synchronizable] ?? .string("syna")),
            ]
                + named
                + asking.pairs() + [
                    QueryPair("m_Limit", .string("m_LimitOne")), QueryPair("r_Data", .boolean(true)),
                ],
            wantsResult: true, owner: owner)
        guard let secret = try device.perform(one).secrets.first, secret.count > 0 else {
            throw CommandFailure(
                .secretUnreadable, "The item has no password.", why: "An empty one would protect nothing.",
                advice: "Name another item.")
        }
        return secret
    }
}
