package import ArgumentParser
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// `latchkey dump-keychain`.
package struct DumpKeychain: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "dump-keychain", abstract: "Show the attributes of every item, with -d the passwords as well.",
        discussion: """
            Items that ask for a person are left out and counted: `latchkey item find class=CLASS MatchLimit=all` \
            shows them after asking. Private keys are never shown: `latchkey export` writes one that is named.
            """)

    @Flag(name: .customShort("d"), help: "Show the passwords, too. The device must be unlocked.")
    package var showsPasswords = false

    @Option(help: "An access group that is not this tool's own; '*' is all. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: accessGroup, secrets: common.secrets)
        let reading = KeychainReading(device: device, owner: owner)
        let passwords = try reading.readingWithoutAsking(["genp", "inet"], withSecrets: showsPasswords)
        let locked = passwords.locked
        guard locked.isEmpty || !showsPasswords else {
            throw CommandFailure(
                .locked, "Passwords are shown only while the device is unlocked.",
                why: "These classes are locked: \(locked.joined(separator: ", ")).", advice: device.unlockAdvice)
        }
        let others = try reading.readingWithoutAsking(["cert", "keys"], withSecrets: false)
        let guardedCount = passwords.guardedCount + others.guardedCount
        var pieces: [Report.Piece] = []
        var items: [JSONValue] = []
        for part in passwords.parts + others.parts {
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
        if guardedCount > 0 { pieces.append(.text(Self.words(ofGuarded: guardedCount))) }
        return Report(
            pieces: pieces,
            json: .object([
                ("items", .array(items)), ("lockedClasses", .array(locked.map(JSONValue.string))),
                ("guardedItems", .integer(Int64(guardedCount))),
            ]))
    }

    private static func words(ofGuarded count: Int) -> String {
        let (asks, are) = count == 1 ? ("asks", "is") : ("ask", "are")
        return """
            \(ItemCount.opening(count)) that \(asks) for a person \(are) not shown. `latchkey item find class=CLASS \
            MatchLimit=all` asks and shows; CLASS is genp, inet, cert or keys. Give it the same --access-group and \
            --device.

            """
    }
}
