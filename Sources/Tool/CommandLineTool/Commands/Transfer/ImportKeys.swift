package import ArgumentParser
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyDevice
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `latchkey import FILE`: keys, certificates and identities.
package struct ImportKeys: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Keys, certificates and identities: PEM, DER, PKCS#8, PKCS#12 (the default).",
        discussion: """
            The passphrase of an encrypted file is asked for without echo, or read as a line from standard input or \
            from --passphrase-fd.

            `latchkey import csv FILE` and `latchkey import netrc FILE` take over passwords.
            """)

    @Option(help: "pem, der, pkcs8 or pkcs12; recognised by the content if not given.")
    package var format: KeyFileFormat?

    @Option(name: [.customShort("l"), .long], help: "A label for what is imported.")
    package var label: String?

    @Option(help: "An application tag for the keys.")
    package var tag: String?

    @Option(help: ArgumentHelp("When the items can be used: \(AccessibleName.choices).", valueName: "name"))
    package var accessible: String?

    @OptionGroup package var conditions: ConditionOptions
    @OptionGroup package var passphrase: PassphraseOptions
    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    @Argument(help: "The file; - is standard input.", completion: .file())
    package var file: String

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let protection = try ProtectionPair.code(accessible)
        let rules = try conditions.pair(accessible: protection)
        let contents = try contents()
        var reader = KeyFileReader(path: file, format: format) { () throws(CommandFailure) in
            try passphrase.ofExisting(file)
        }
        let read = try reader.read(contents)
        let device = try DeviceAccess(common, makesDevice: true)
        let adding = ObjectAdding(
            device: device, owner: try device.authority(for: group.accessGroup, secrets: common.secrets),
            label: label, tag: tag, shared: group.pairs, protection: try ProtectionPair.pairs(accessible),
            rules: rules)
        let tally = try adding.add(read)
        return tally.report(notes: read.notes, clearFile: read.isInClear && SecretFile.keepsContents(file) ? file : nil)
    }
}

extension ImportKeys {
    /// A file that does not exist may be a subcommand with a typing error.
    private func contents() throws(CommandFailure) -> SecretBox {
        do {
            return try SecretFile.read(file)
        } catch {
            let names = CommandShape.tool?.subcommand("import")?.subcommands?.map(\.commandName) ?? []
            guard MissingFile.isGone(file), let near = NearestWord.candidates(for: file, among: names).first else {
                throw error
            }
            throw CommandFailure(
                error.status, error.what, why: error.why, advice: "Did you mean `latchkey import \(near) FILE`?")
        }
    }
}

/// Where the passphrase of a file comes from.
package struct PassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read the passphrase from this descriptor: one line.", valueName: "n"))
    package var passphraseFd: Int32?

    @Flag(help: "Use no passphrase: do not prompt for one, and export in clear.")
    package var noPassphrase = false

    package init() {}

    package mutating func validate() throws {
        guard !noPassphrase || passphraseFd == nil else {
            throw ValidationError("--no-passphrase and --passphrase-fd exclude each other.")
        }
    }

    func ofExisting(_ name: String) throws(CommandFailure) -> SecretBox {
        guard !noPassphrase else { return unsafe SecretBox(count: 0) { _ in } }
        return try PassphraseSource(descriptor: passphraseFd).passphrase(for: name)
    }

    /// Nil for none.
    func ofNew() throws(CommandFailure) -> SecretBox? {
        noPassphrase ? nil : try PassphraseSource(descriptor: passphraseFd).newPassphrase(for: "the file")
    }
}

extension KeyFileFormat: ExpressibleByArgument {}
