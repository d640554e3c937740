package import ArgumentParser
import KeychainMessages
import PropertyListDER

/// `latchkey dump-keychain`.
package struct DumpKeychain: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "dump-keychain", abstract: "Show the attributes of every password, with -d the passwords as well.",
        discussion: "Items that ask for a person are left out: find-generic-password and its like show them.")

    @Flag(name: .customShort("d"), help: "Show the passwords, too. The device must be unlocked.")
    package var showsPasswords = false

    @Option(help: "An access group that is not this tool's own; '*' is all. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: accessGroup, secrets: common.secrets)
        let (parts, locked) = try KeychainReading(device: device, owner: owner)
            .parts(of: ["genp", "inet"], withSecrets: showsPasswords)
        guard locked.isEmpty || !showsPasswords else {
            throw CommandFailure(
                .locked, "Passwords are shown only while the device is unlocked.",
                why: "These classes are locked: \(locked.joined(separator: ", ")).", advice: "`latchkey unlock`.")
        }
        var pieces: [Report.Piece] = []
        var items: [JSONValue] = []
        for part in parts {
            let listing = ItemListing(secrets: part.secrets)
            for attributes in part.attributes {
                pieces.append(.text("class: \(part.itemClass)\n"))
                pieces += listing.pieces(item: attributes.filter { $0.key != "class" })
                items.append(listing.json(.dictionary(attributes)))
            }
        }
        if !locked.isEmpty {
            let names = locked.joined(separator: ", ")
            pieces.append(.text("Items of these classes are locked and not shown: \(names).\n"))
        }
        return Report(
            pieces: pieces,
            json: .object([("items", .array(items)), ("lockedClasses", .array(locked.map(JSONValue.string)))]))
    }
}
