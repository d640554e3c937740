package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// Deletes one password of either class, or with `--all` every one that fits.
struct PasswordDeletion<Description: PasswordDescription> {
    let description: DescribedPassword<Description>
    let deletesAll: Bool
    let common: CommonOptions

    func perform() throws(CommandFailure) -> Report {
        guard try description.namesItem() else {
            throw CommandFailure(
                .usage, "Nothing says which item is meant, and nothing was deleted.",
                why: "Without -a, -s, -l or another attribute every password of the class fits.",
                advice: "Name one. `latchkey item delete class=\(Description.itemClass) --all` deletes all of them.")
        }
        let device = try DeviceAccess(common, changes: true)
        let owner = try device.authority(for: description.shared.accessGroup, secrets: common.secrets)
        let query = try description.searchQuery()
        if !deletesAll { try expectOne(query, on: device, owner: owner) }
        let reply = try device.perform(
            ItemRequest(operation: .delete, query: query, wantsResult: false, owner: owner))
        let count = reply.affectedRows
        return Report(
            count == 1 ? "The item is deleted." : "\(count) items are deleted.",
            json: .object([("deleted", .integer(Int64(count)))]))
    }

    /// A delete takes everything that fits; flags that fit several items are more likely a slip than a wish.
    private func expectOne(
        _ query: [QueryPair], on device: DeviceAccess, owner: OwnerAuthority?
    ) throws(CommandFailure) {
        let reply = device.call(
            ItemRequest(operation: .find, query: query + QueryPair.allReferences, wantsResult: true, owner: owner))
        if reply.code == .interactionNotAllowed {
            throw CommandFailure(
                .locked, "It cannot be seen how many items this would delete.", why: reply.refusal?.reason,
                advice: "Unlock the device, or say --all to delete whatever fits.", code: reply.code)
        }
        guard reply.code == .success else { throw CommandFailure(reply) }
        guard case .array(let found)? = reply.result, found.count > 1 else { return }
        throw CommandFailure(
            .ambiguousItem, "\(found.count) items fit, and nothing was deleted.",
            advice: "Name one more closely (-a, -s, …), or say --all.")
    }
}

/// `latchkey delete-generic-password`.
package struct DeleteGenericPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "delete-generic-password", abstract: "Delete the password of a service.")

    @Flag(help: "Delete every item that fits.")
    package var all = false

    @OptionGroup package var item: GenericDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordDeletion(description: description, deletesAll: all, common: common).perform()
    }
}

/// `latchkey delete-internet-password`.
package struct DeleteInternetPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "delete-internet-password", abstract: "Delete the password of a server.")

    @Flag(help: "Delete every item that fits.")
    package var all = false

    @OptionGroup package var item: InternetDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordDeletion(description: description, deletesAll: all, common: common).perform()
    }
}
