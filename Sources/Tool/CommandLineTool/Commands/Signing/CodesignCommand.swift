package import ArgumentParser
import LatchkeyCodeSignature

/// `latchkey codesign`: its options choose the operation, as with macOS's tool of that name.
package struct CodesignCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "codesign",
        abstract: "Sign a program with its entitlements; check, show or remove the signature.",
        usage: """
            latchkey codesign --team <team> --identifier <id> [--entitlements <file>] [--alias <prefix>] \
            [--key <file>] [--detached [--output <file>]] [--force] <program>
            latchkey codesign --verify <program>
            latchkey codesign --display [--entitlements -] <program>
            latchkey codesign --remove <program>
            """)

    @Option(
        name: [.customLong("team"), .customLong("sign"), .customShort("s")],
        help: ArgumentHelp("Sign as this team: its ten characters.", valueName: "team"))
    package var team: String?

    @Option(
        name: [.customLong("identifier"), .customShort("i")],
        help: ArgumentHelp("The program's identifier within the team, such as com.example.mail.", valueName: "id"))
    package var identifier: String?

    @Option(
        help: ArgumentHelp(
            "The entitlements, a property list in XML or binary. With --display: '-' writes them.", valueName: "file"),
        completion: .file())
    package var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "A prefix of groups that the source has in place of the team's, A1B2C3D4E5; several times for several.",
            valueName: "prefix"))
    package var alias: [String] = []

    @Option(
        help: ArgumentHelp("The team's private key, if it is not where `team create` puts it.", valueName: "file"),
        completion: .file())
    package var key: String?

    @Flag(
        name: [.customLong("detached"), .customShort("D")],
        help: "Do not change the program: the signature becomes a file of the device.")
    package var detached = false

    @Option(help: ArgumentHelp("Where a detached signature is written.", valueName: "file"), completion: .file())
    package var output: String?

    @Option(help: ArgumentHelp("Read the passphrase of the key from this descriptor instead.", valueName: "n"))
    package var passphraseFd: Int32?

    @Flag(name: [.customLong("force"), .customShort("f")], help: "Replace an existing signature.")
    package var force = false

    @Flag(help: "Check the signature. Also `-v` without another operation.")
    package var verify = false

    @Flag(name: [.customLong("display"), .customShort("d")], help: "Show the signature.")
    package var display = false

    @Flag(name: [.customLong("remove"), .customLong("remove-signature")], help: "Remove the signature.")
    package var remove = false

    @Flag(name: [.customLong("verbose"), .customShort("v")], help: "Say more.")
    package var verbose = false

    @Argument(help: "The program.", completion: .file())
    package var program: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    /// The operation that the flags select.
    package enum Mode: Sendable, Hashable {
        case sign, verify, display, remove
    }

    package var mode: Mode {
        if display { return .display }
        if remove { return .remove }
        if verify { return .verify }
        return isSigning || !verbose ? .sign : .verify
    }

    private var isSigning: Bool { team != nil || key != nil || identifier != nil }

    package mutating func validate() throws {
        let asked = [isSigning, verify, display, remove].count { $0 }
        guard asked > 0 || verbose else {
            throw ValidationError("Say what to do: --team and --identifier, --verify, --display or --remove.")
        }
        guard asked <= 1 else { throw ValidationError("Signing, --verify, --display and --remove exclude each other.") }
        guard !program.isEmpty else { throw ValidationError("The program has no name.") }
        if mode == .sign {
            guard team != nil || key != nil else { throw ValidationError("Say who signs: --team or --key.") }
            guard identifier != nil else {
                throw ValidationError("Say which program of the team this is: --identifier com.example.name.")
            }
        } else {
            guard !force, passphraseFd == nil, alias.isEmpty else {
                throw ValidationError("--force, --alias and --passphrase-fd are for signing.")
            }
            guard entitlements == nil || (mode == .display && ["-", ":-"].contains(entitlements)) else {
                throw ValidationError("--entitlements goes with signing; with --display it is '--entitlements -'.")
            }
        }
        guard alias.allSatisfy({ TeamAlias($0) != nil }) else {
            throw ValidationError(TeamAlias.form)
        }
        guard output == nil || (detached && mode == .sign) else {
            throw ValidationError("--output says where a detached signature is written; it goes with --detached.")
        }
        guard !detached || mode == .sign else {
            throw ValidationError("--detached is for signing; checks find a detached signature by themselves.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        switch mode {
        case .sign: try signed()
        case .verify: try verified()
        case .display: try displayed()
        case .remove: try removed()
        }
    }
}
