package import ArgumentParser
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// The flags that only one of the two password classes has.
///
/// A group of flags contains no other group: each command names its groups. In a debug build the parser checks a group
/// for each of its four checks of the group around it, so that a level of groups makes a command line five times as slow.
package protocol PasswordDescription: ParsableArguments {
    /// `genp` or `inet`.
    static var itemClass: String { get }
    /// The attributes that identify an item of the class, each with the value for a flag that is not given.
    static var primaryKey: [(name: AttributeName, value: PropertyValue)] { get }

    /// The attributes that the flags name.
    func attributes() throws(CommandFailure) -> [QueryPair]
    /// The label of a new item if none is given.
    var defaultLabel: String? { get }
}

/// A password as all flags describe it.
struct DescribedPassword<Description: PasswordDescription> {
    let own: Description
    let shared: SharedDescription

    /// The attributes that the flags name, and nothing else.
    func attributes() throws(CommandFailure) -> [QueryPair] {
        try own.attributes() + shared.attributes()
    }

    /// Returns true if a flag names an attribute that tells items apart.
    func namesItem() throws(CommandFailure) -> Bool {
        try attributes().contains { ![.accessible, .accessGroup].contains($0.name) }
    }

    /// The complete primary key of the item that an add with these flags makes.
    func primaryKeyAttributes() throws(CommandFailure) -> [QueryPair] {
        let given = try attributes()
        return Description.primaryKey.map { part in
            given.first { $0.name == part.name } ?? QueryPair(part.name, part.value)
        }
    }

    /// A search for what the flags name, among items of this device and synchronizable ones alike.
    func searchQuery() throws(CommandFailure) -> [QueryPair] {
        let sync: PropertyValue = shared.synchronizable ? .boolean(true) : .string("syna")
        return [QueryPair("class", .string(Description.itemClass)), QueryPair(.synchronizable, sync)]
            + (try attributes())
    }
}

/// The flags that both password classes have; the letters are those of macOS's `security`.
package struct SharedDescription: ParsableArguments {
    @Option(name: [.customShort("a"), .long], help: "The account name.")
    package var account: String?

    @Option(name: [.customShort("l"), .long], help: "The label, for people.")
    package var label: String?

    @Option(name: [.customShort("D"), .long], help: "The kind of the item, for people.")
    package var kind: String?

    @Option(name: [.customShort("j"), .long], help: "A comment.")
    package var comment: String?

    @Option(name: [.customShort("c"), .long], help: ArgumentHelp("The creator.", valueName: "four characters"))
    package var creator: String?

    @Option(
        name: [.customShort("C"), .customLong("type")], help: ArgumentHelp("The type.", valueName: "four characters"))
    package var type: String?

    @Option(help: ArgumentHelp("When the item can be used: \(AccessibleName.choices).", valueName: "name"))
    package var accessible: String?

    @Option(help: "An access group that is not this tool's own. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @Flag(help: "An item that may travel to the owner's other devices.")
    package var synchronizable = false

    package init() {}

    func attributes() throws(CommandFailure) -> [QueryPair] {
        var pairs: [QueryPair] = []
        let texts: [(name: AttributeName, text: String?)] = [
            (.account, account), (.label, label), (.description, kind), (.comment, comment),
        ]
        for (name, text) in texts {
            if let text { pairs.append(QueryPair(name, .string(text))) }
        }
        let codes: [(name: AttributeName, flag: String, text: String?)] = [
            (.creator, "-c", creator), (.type, "-C", type),
        ]
        for (name, flag, value) in codes {
            guard let value else { continue }
            guard let code = FourCharacterCode(value) else {
                throw CommandFailure(.usage, "The value of \(flag) is not a four-character code.")
            }
            pairs.append(QueryPair(name, .integer(code.number)))
        }
        if let accessible {
            guard let code = AccessibleName.code(from: accessible) else {
                throw CommandFailure(
                    .usage, "No protection class is called \"\(accessible)\".",
                    advice: "Choose one of: \(AccessibleName.choices).")
            }
            pairs.append(QueryPair(.accessible, .string(code)))
        }
        if let accessGroup { pairs.append(QueryPair(.accessGroup, .string(accessGroup))) }
        return pairs
    }
}

/// The flags of a generic password.
package struct GenericDescription: PasswordDescription {
    @Option(name: [.customShort("s"), .long], help: "The service.")
    package var service: String?

    @Option(name: [.customShort("G"), .long], help: "The generic attribute.")
    package var generic: String?

    package init() {}

    package static let itemClass = "genp"
    package static let primaryKey: [(name: AttributeName, value: PropertyValue)] = [
        (.account, .string("")), (.service, .string("")),
    ]

    package var defaultLabel: String? { service }

    package func attributes() throws(CommandFailure) -> [QueryPair] {
        var pairs: [QueryPair] = []
        if let service { pairs.append(QueryPair(.service, .string(service))) }
        if let generic { pairs.append(QueryPair(.generic, .data(Array(generic.utf8)))) }
        return pairs
    }
}

/// The flags of an internet password.
package struct InternetDescription: PasswordDescription {
    @Option(name: [.customShort("s"), .long], help: "The server.")
    package var server: String?

    @Option(name: [.customShort("d"), .long], help: "The security domain.")
    package var securityDomain: String?

    @Option(name: [.customShort("p"), .long], help: "The path.")
    package var path: String?

    @Option(name: [.customShort("P"), .long], help: "The port.")
    package var port: UInt16?

    @Option(
        name: [.customShort("r"), .long],
        help: ArgumentHelp("The protocol: https, ssh, …", valueName: "four characters"))
    package var `protocol`: String?

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("The authentication type: dflt, form, http, httd, …", valueName: "four characters"))
    package var authenticationType: String?

    package init() {}

    package static let itemClass = "inet"
    package static let primaryKey: [(name: AttributeName, value: PropertyValue)] = [
        (.account, .string("")), (.securityDomain, .string("")), (.server, .string("")), (.protocol, .integer(0)),
        (.authenticationType, .string("")), (.port, .integer(0)), (.path, .string("")),
    ]

    package var defaultLabel: String? { server }

    package func attributes() throws(CommandFailure) -> [QueryPair] {
        var pairs: [QueryPair] = []
        if let server { pairs.append(QueryPair(.server, .string(server))) }
        if let securityDomain { pairs.append(QueryPair(.securityDomain, .string(securityDomain))) }
        if let path { pairs.append(QueryPair(.path, .string(path))) }
        if let port { pairs.append(QueryPair(.port, .integer(Int64(port)))) }
        if let name = `protocol` {
            guard let code = ProtocolName.code(from: name) else {
                throw CommandFailure(.usage, "The value of -r is neither a protocol nor a four-character code.")
            }
            pairs.append(QueryPair(.protocol, .string(code)))
        }
        if let authenticationType {
            guard let code = FourCharacterCode(authenticationType) else {
                throw CommandFailure(.usage, "The value of -t is not a four-character code.")
            }
            pairs.append(QueryPair(.authenticationType, .string(code.text)))
        }
        return pairs
    }
}
