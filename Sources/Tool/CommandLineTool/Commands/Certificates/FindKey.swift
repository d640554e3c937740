package import ArgumentParser
import LatchkeyEncoding
package import LatchkeyItemModel
import LatchkeyPropertyListDER

/// `latchkey find-key`, with the flags of macOS's `security`.
package struct FindKey: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-key", abstract: "Find keys by their attributes; never prompts.")

    @Option(
        name: .customShort("a"),
        help: ArgumentHelp(
            "The application label, 40 hexadecimal digits; anything else is taken as text.", valueName: "label"))
    package var applicationLabel: String?

    @Option(name: .customShort("c"), help: ArgumentHelp("The creator.", valueName: "four characters"))
    package var creator: String?

    @Flag(name: .customShort("d"), help: "Keys that can decrypt.")
    package var decrypts = false

    @Option(name: .customShort("D"), help: .hidden)
    package var description: String?

    @Flag(name: .customShort("e"), help: "Keys that can encrypt.")
    package var encrypts = false

    @Option(name: .customShort("j"), help: .hidden)
    package var comment: String?

    @Option(name: .customShort("l"), help: "The label.")
    package var label: String?

    @Flag(name: .customShort("r"), help: "Keys that can derive.")
    package var derives = false

    @Flag(name: .customShort("s"), help: "Keys that can sign.")
    package var signs = false

    @Option(name: .customShort("t"), help: "public, private or symmetric.")
    package var type: Half?

    @Flag(name: .customShort("u"), help: "Keys that can unwrap.")
    package var unwraps = false

    @Flag(name: .customShort("v"), help: "Keys that can verify.")
    package var verifies = false

    @Flag(name: .customShort("w"), help: "Keys that can wrap.")
    package var wraps = false

    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    /// The numbers of `kSecAttrKeyClass`.
    package enum Half: String, ExpressibleByArgument, CaseIterable {
        case `public`
        case `private`
        case symmetric

        var number: Int64 {
            switch self {
            case .public: 0
            case .private: 1
            case .symmetric: 2
            }
        }
    }

    package init() {}

    package mutating func validate() throws {
        guard description == nil else { throw ValidationError("-D: keys have no description; -l matches the label.") }
        guard comment == nil else { throw ValidationError("-j: keys have no comment; -l matches the label.") }
        guard creator.map({ FourCharacterCode($0) != nil }) ?? true else {
            throw ValidationError("The value of -c is not a four-character code.")
        }
    }

    /// The attributes that the flags name.
    package var pairs: [QueryPair] {
        var pairs: [QueryPair] = []
        if let applicationLabel {
            let digest = Hexadecimal.bytes(from: applicationLabel.utf8).flatMap { $0.count == 20 ? $0 : nil }
            pairs.append(QueryPair(.applicationLabel, .data(digest ?? Array(applicationLabel.utf8))))
        }
        if let code = creator.flatMap({ FourCharacterCode($0) }) {
            pairs.append(QueryPair(.creator, .integer(code.number)))
        }
        if let label { pairs.append(QueryPair(.label, .string(label))) }
        if let type { pairs.append(QueryPair(.keyClass, .integer(type.number))) }
        let uses: [(name: AttributeName, isAsked: Bool)] = [
            (.canDecrypt, decrypts), (.canEncrypt, encrypts), (.canDerive, derives), (.canSign, signs),
            (.canUnwrap, unwraps), (.canVerify, verifies), (.canWrap, wraps),
        ]
        return pairs + uses.filter(\.isAsked).map { QueryPair($0.name, .boolean(true)) }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
        let (parts, locked) = try KeychainReading(device: device, owner: owner)
            .parts(of: ["keys"], matching: pairs, withSecrets: false)
        let items = parts.flatMap(\.attributes)
        guard !items.isEmpty else {
            guard locked.isEmpty else {
                throw CommandFailure(
                    .locked, "No key that fits can be seen now.",
                    why: "These classes are locked: \(locked.joined(separator: ", ")).", advice: device.unlockAdvice,
                    code: .interactionNotAllowed)
            }
            throw CommandFailure(
                .itemNotFound, "There is no such key.", why: "Nothing in this group fits the flags.",
                advice: "`latchkey key list` shows the keys; those of other programs need --access-group.",
                code: .itemNotFound)
        }
        let listing = ItemListing(secrets: [])
        let pieces = items.flatMap { item in
            [.text("class: keys\n")] + listing.pieces(item: item.filter { $0.key != "class" })
        }
        return Report(
            pieces: pieces, json: .object([("keys", .array(items.map { listing.json(.dictionary($0)) }))]))
    }
}
