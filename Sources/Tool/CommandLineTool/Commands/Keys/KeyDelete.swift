package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// `latchkey key delete`.
package struct KeyDelete: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a key, both halves if both are stored. This is final.",
        discussion: """
            A private key that is deleted can be had back only from a copy that was exported before; a key of the \
            enclave has none.
            """)

    @Flag(help: "Do not ask for the word \"delete\".")
    package var yes = false

    @Flag(help: "Delete every key that fits.")
    package var all = false

    @OptionGroup package var selection: KeySelection
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let named = try selection.pairs()
        let device = try DeviceAccess(common, changes: true)
        let owner = try device.authority(for: selection.group.accessGroup, secrets: common.secrets)
        let query = [QueryPair("class", .string("keys")), QueryPair(.synchronizable, .string("syna"))] + named
        let found = try find(query, on: device, owner: owner)
        if !yes { try confirm(found) }
        let reply = try device.perform(
            ItemRequest(operation: .delete, query: query, wantsResult: false, owner: owner))
        let count = reply.affectedRows
        return Report(
            count == 1 ? "The key is deleted." : "\(ItemCount.text(count)) are deleted.",
            json: .object([("deleted", .integer(Int64(count)))]))
    }

    /// A delete takes everything that fits; flags that fit several keys are more likely a slip than a wish.
    private func find(
        _ query: [QueryPair], on device: DeviceAccess, owner: OwnerAuthority?
    ) throws(CommandFailure) -> [KeyDescription] {
        let search =
            query + [
                QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Attributes", .boolean(true)),
            ]
        let reply = try device.perform(
            ItemRequest(operation: .find, query: search, wantsResult: true, owner: owner))
        let keys = Set(reply.items.compactMap { $0[.applicationLabel] })
        guard all || keys.count <= 1 else {
            throw CommandFailure(
                .ambiguousItem, "\(keys.count) keys fit, and nothing was deleted.",
                advice: "Name one with --id (`latchkey key list` shows it), or say --all.")
        }
        return reply.items.map(KeyDescription.init)
    }

    private func confirm(_ keys: [KeyDescription]) throws(CommandFailure) {
        let privateKeys = keys.filter { $0.half != "public" }
        guard !privateKeys.isEmpty else { return }
        let confirmation = Confirmation(word: "delete", unchanged: "Nothing was deleted.")
        try confirmation.requireTerminal(
            why: "A private key cannot be made again, and there is no terminal to ask on.")
        var lines = privateKeys.map(\.line)
        if privateKeys.contains(where: \.isInEnclave) {
            lines.append("A key of the enclave has no copy anywhere: everything that needs it is lost with it.")
        }
        try confirmation.ask(lines.joined(separator: "\n"))
    }
}
