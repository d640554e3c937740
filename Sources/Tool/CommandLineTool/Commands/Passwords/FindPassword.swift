package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The flags of the two finding commands beside the description.
package struct FindingOptions: ParsableArguments {
    @Flag(name: .customShort("g"), help: "Show the password, too.")
    package var showsPassword = false

    @Flag(name: .customShort("w"), help: "Print only the password.")
    package var printsOnlyPassword = false

    package init() {}
}

/// Finds one password of either class.
struct PasswordFinding<Description: PasswordDescription> {
    let description: DescribedPassword<Description>
    let options: FindingOptions
    let output: SecretOutput
    let asking: AskingOptions
    let common: CommonOptions

    /// True if the secret is written instead of the item.
    private var wantsSecretAlone: Bool { options.printsOnlyPassword || output.isWanted }

    func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let wantsData = options.showsPassword || wantsSecretAlone
        let request = ItemRequest(
            operation: .find,
            query: try description.searchQuery() + asking.pairs() + [
                QueryPair("m_Limit", .string("m_LimitOne")), QueryPair("r_Attributes", .boolean(true)),
                QueryPair("r_Data", .boolean(wantsData)),
            ],
            wantsResult: true,
            owner: try device.authority(for: description.shared.accessGroup, secrets: common.secrets))
        let reply = try device.perform(request)
        guard case .dictionary(var attributes)? = reply.result else { throw .unexpectedReply }
        let listing = ItemListing(secrets: reply.secrets)
        let json = listing.json(.dictionary(attributes))
        guard wantsSecretAlone else {
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
        return try output.report(reply.secrets[index], json: json, asJSON: common.json)
    }

    private func password(_ value: PropertyValue?, in listing: ItemListing) -> [Report.Piece] {
        guard case .secret(let index)? = value else { return [.text("none")] }
        return listing.quotedSecret(index)
    }
}

/// `latchkey find-generic-password`.
package struct FindGenericPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-generic-password", abstract: "Find the password of a service.")

    @OptionGroup package var item: GenericDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var finding: FindingOptions
    @OptionGroup package var output: SecretOutput
    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordFinding(
            description: description, options: finding, output: output, asking: asking, common: common
        ).perform()
    }
}

/// `latchkey find-internet-password`.
package struct FindInternetPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-internet-password", abstract: "Find the password of a server.")

    @OptionGroup package var item: InternetDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var finding: FindingOptions
    @OptionGroup package var output: SecretOutput
    @OptionGroup package var asking: AskingOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordFinding(
            description: description, options: finding, output: output, asking: asking, common: common
        ).perform()
    }
}
