package import ArgumentParser
import Foundation
import Glibc
import LatchkeyCodeSignature

/// `latchkey team create`.
package struct TeamCreate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a team: the key that signs your programs.",
        discussion: """
            The private key is encrypted with a passphrase, which is asked for twice on a terminal, or is one line of \
            standard input. What is handed out is the file that ends in .team.
            """)

    @Option(help: ArgumentHelp("The team's name, for people.", valueName: "name"))
    package var name: String?

    @Option(help: ArgumentHelp("Write the two files into this directory.", valueName: "dir"), completion: .directory)
    package var output: String?

    @Option(help: ArgumentHelp("Read the new passphrase from this descriptor instead.", valueName: "n"))
    package var passphraseFd: Int32?

    @Flag(help: "Leave the private key unencrypted; for machines that sign without a person.")
    package var noPassphrase = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard !noPassphrase || passphraseFd == nil else {
            throw ValidationError("--no-passphrase and --passphrase-fd exclude each other.")
        }
        if let name, !TeamFile.isName(name) {
            throw ValidationError("A name has 1 to \(TeamFile.nameLimit) bytes, and nothing that cannot be seen.")
        }
        if let output, output.isEmpty { throw ValidationError("The directory after --output has no name.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let store: TeamKeyStore
        if let output {
            store = TeamKeyStore(directory: output)
        } else {
            store = try TeamKeyStore.ofThisUser()
        }
        let passphrase = noPassphrase ? nil : try PassphraseSource(descriptor: passphraseFd).newPassphrase()
        let key = TeamKey.generate()
        let team = key.publicKey.identifier
        try store.store(TeamFile(name: name, key: key.publicKey), key: key.pem(passphrase: passphrase))
        let keyOption = output == nil ? "" : " --key '\(store.keyPath(team))'"
        let tool = ToolProgram.invokedName
        let lines = [
            "Team \(team)\(name.map { " (\($0))" } ?? "")",
            "  private key  \(store.keyPath(team))\(passphrase == nil ? "  (not encrypted)" : "")",
            "  to hand out  \(store.teamPath(team))",
            "",
            "Keep the private key safe: its holder can sign as this team, and it cannot be made again.",
            "Next:",
            "  \(tool) team trust '\(store.teamPath(team))'",
            "  \(tool) codesign --team \(team)\(keyOption) --identifier com.example.mail PROGRAM",
        ]
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("team", .string(team.text)), ("name", name.map(JSONValue.string) ?? .null),
                ("key", .string(store.keyPath(team))), ("teamFile", .string(store.teamPath(team))),
                ("encrypted", .boolean(passphrase != nil)),
            ]))
    }
}
