package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The flags of the two adding commands beside the description.
package struct AddingOptions: ParsableArguments {
    @Flag(name: .customShort("w"), help: "Ask for the secret, or read it from standard input. This is the default.")
    package var asksForSecret = false

    @Flag(name: .customShort("X"), help: "The secret is given in hexadecimal.")
    package var isHexadecimal = false

    @Flag(help: "The input is the secret byte for byte, also a newline at its end.")
    package var raw = false

    @Flag(name: .customShort("U"), help: "Replace an item that exists already.")
    package var updates = false

    @Option(
        name: .customShort("T"),
        help: ArgumentHelp(
            "Accepted for the sake of old scripts: access groups decide who may read.", valueName: "program"))
    package var trusted: [String] = []

    @Flag(name: .customShort("A"), help: "Accepted for the sake of old scripts, like -T.")
    package var trustsAll = false

    @Option(help: ArgumentHelp("Read the secret from this descriptor.", valueName: "n"))
    package var secretFd: Int32?

    /// Any word that the parser does not know may be a secret: it is caught here and never repeated.
    @Argument(parsing: .allUnrecognized, help: .hidden)
    package var unexpected: [String] = []

    package init() {}

    package mutating func validate() throws {
        guard !raw || !isHexadecimal else { throw ValidationError("--raw and -X exclude each other.") }
    }

    var form: SecretSource.SecretForm {
        if isHexadecimal { return .hexadecimal }
        return raw ? .exact : .text
    }
}

/// Adds one password of either class.
struct PasswordAdding<Description: PasswordDescription> {
    let description: DescribedPassword<Description>
    let options: AddingOptions
    let conditions: ConditionOptions
    let common: CommonOptions

    func perform() throws(CommandFailure) -> Report {
        guard options.unexpected.isEmpty else {
            throw CommandFailure(
                .usage, "\(options.unexpected.count) of the arguments is not known to this command.",
                why: "It is not repeated here because it may be a secret.",
                advice: "A secret never goes into the arguments; the options are listed by --help.")
        }
        if !options.trusted.isEmpty || options.trustsAll {
            StandardError.write(
                "latchkey: note: -T and -A have no effect; access groups decide who may read an item.\n")
        }
        let device = try DeviceAccess(common, makesDevice: true)
        let primaryKey = try description.primaryKeyAttributes()
        var attributes = try description.attributes()
        if description.shared.label == nil, let label = description.own.defaultLabel {
            attributes.append(QueryPair(.label, .string(label)))
        }
        try addConditions(to: &attributes)
        let source = SecretSource(passcodeDescriptor: common.passcodeFd, secretDescriptor: options.secretFd)
        let owner = try device.authority(for: description.shared.accessGroup, secrets: source)
        let secret = try source.newSecret(options.form)
        let storing = PasswordStoring(
            device: device, itemClass: Description.itemClass, primaryKey: primaryKey, attributes: attributes,
            isSynchronizable: description.shared.synchronizable, owner: owner)
        let outcome = try storing.store(secret, replacing: options.updates)
        if description.shared.synchronizable { sayWhetherItStays(storing, secret) }
        switch outcome {
        case .added: return .done("The item is added.")
        case .replaced: return .done("The item is replaced.")
        }
    }

    /// Says it if the item does not travel although that was asked for.
    private func sayWhetherItStays(_ storing: PasswordStoring, _ secret: SecretBox) {
        let circle = try? storing.device.ask(DescribeCircle())
        let item = StayingItem(
            attributes: storing.attributes, group: description.shared.accessGroup ?? storing.storedGroup(),
            secretByteCount: secret.count)
        guard let reason = item.reason(circle) else { return }
        StandardError.write("latchkey: note: the item stays on this device: \(PlainText.escaped(reason))\n")
    }

    /// An access control says the protection class, too.
    private func addConditions(to attributes: inout [QueryPair]) throws(CommandFailure) {
        let place = attributes.firstIndex { $0.name == .accessible }
        var accessible: String?
        if let place, case .string(let code) = attributes[place].value { accessible = code }
        guard let control = try conditions.pair(accessible: accessible) else { return }
        if let place { attributes.remove(at: place) }
        attributes.append(control)
    }
}

/// `latchkey add-generic-password`.
package struct AddGenericPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add-generic-password", abstract: "Add a password for a service.")

    @OptionGroup package var item: GenericDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var adding: AddingOptions
    @OptionGroup package var conditions: ConditionOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordAdding(
            description: description, options: adding, conditions: conditions, common: common
        ).perform()
    }
}

/// `latchkey add-internet-password`.
package struct AddInternetPassword: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add-internet-password", abstract: "Add a password for a server.")

    @OptionGroup package var item: InternetDescription
    @OptionGroup package var shared: SharedDescription
    @OptionGroup package var adding: AddingOptions
    @OptionGroup package var conditions: ConditionOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let description = DescribedPassword(own: item, shared: shared)
        return try PasswordAdding(
            description: description, options: adding, conditions: conditions, common: common
        ).perform()
    }
}
