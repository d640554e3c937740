package import ArgumentParser
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The flags of the two finding commands beside the description.
package struct FindingOptions: ParsableArguments {
    @Flag(name: .customShort("g"), help: "Show the password, too.")
    package var showsPassword = false

    @Flag(name: .customShort("w"), help: "Print only the password.")
    package var printsOnlyPassword = false

    @OptionGroup package var output: SecretOutput
    @OptionGroup package var asking: AskingOptions

    package init() {}

    /// Whether the secret is written, and not the item.
    var wantsSecretAlone: Bool { printsOnlyPassword || output.isWanted }
}

/// Finds one password of either class.
struct PasswordFinding<Description: PasswordDescription> {
    let description: Description
    let options: FindingOptions
    let common: CommonOptions

    func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let wantsData = options.showsPassword || options.wantsSecretAlone
        let request = ItemRequest(
            operation: .find,
            query: try description.searchQuery() + options.asking.pairs() + [
                QueryPair("m_Limit", .string("m_LimitOne")), QueryPair("r_Attributes", .boolean(true)),
                QueryPair("r_Data", .boolean(wantsData)),
            ],
            wantsResult: true,
            owner: try device.authority(for: description.shared.accessGroup, secrets: common.secrets))
        let reply = try device.perform(request)
        guard case .dictionary(var attributes)? = reply.result else { throw .unexpectedReply }
        let listing = ItemListing(secrets: reply.secrets)
        let json = listing.json(.dictionary(attributes))
        guard options.wantsSecretAlone else {
            let password = attributes.removeValue(forKey: "v_Data")
            var pieces: [Report.Piece] = [.text("class: \(Description.itemClass)\n")]
            attributes.removeValue(forKey: "class")
            pieces += listing.pieces(item: attributes)
            if options.showsPassword {
                pieces += [.text("password: ")] + self.password(password, in: listing) + [.text("\n")]
            }
            return Report(pieces: pieces, json: json)
        }
        guard case .secret(let index)? = attributes["v_Data"], reply.secrets.indices.contains(index) else {
            throw .noSecret
        }
        return try options.output.report(reply.secrets[index], json: json, asJSON: common.json)
    }

    private func password(_ value: PropertyValue?, in listing: ItemListing) -> [Report.Piece] {
        guard case .secret(let index)? = value else { return [.text("none")] }
        return listing.quotedSecret(index)
    }
}

extension PasswordDescription {
    /// A search for what the flags name, among items of this device and synchronizable ones alike.
    func searchQuery() throws(CommandFailure) -> [QueryPair] {
        let sync: PropertyValue = shared.synchronizable ? .boolean(true) : .string("syna")
        return [QueryPair("class", .string(Self.itemClass)), QueryPair("sync", sync)] + (try attributes())
    }
}

/// `latchkey find-generic-password`.
package struct FindGenericPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-generic-password", abstract: "Find the password of a service.")

    @OptionGroup package var item: GenericDescription
    @OptionGroup package var finding: FindingOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        try PasswordFinding(description: item, options: finding, common: common).perform()
    }
}

/// `latchkey find-internet-password`.
package struct FindInternetPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-internet-password", abstract: "Find the password of a server.")

    @OptionGroup package var item: InternetDescription
    @OptionGroup package var finding: FindingOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        try PasswordFinding(description: item, options: finding, common: common).perform()
    }
}
