package import ArgumentParser
import LatchkeySecretMemory

/// `latchkey add-certificates`, as macOS's `security` has it.
package struct AddCertificates: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "add-certificates", abstract: "Add the certificates of files, PEM or DER.",
        discussion: "Nothing is added if a file cannot be read or holds something else than certificates.")

    @Option(name: .customShort("k"), help: .hidden)
    package var keychain: String?

    @Option(help: ArgumentHelp("When the items can be used: \(AccessibleName.choices).", valueName: "name"))
    package var accessible: String?

    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    @Argument(help: "The files; - is standard input.", completion: .file())
    package var files: [String]

    package init() {}

    package mutating func validate() throws {
        guard keychain == nil else {
            throw ValidationError("-k names a keychain file; here items are in access groups (--access-group).")
        }
        guard !files.isEmpty else { throw ValidationError("No file is named.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        var read = KeyFile()
        for file in files {
            var reader = KeyFileReader(path: file) { () throws(CommandFailure) in
                throw CommandFailure(.inputMalformed, "\(file) is encrypted, so it is not a certificate.")
            }
            let found = try reader.read(SecretFile.read(file))
            guard found.privateKeys.isEmpty, found.publicKeys.isEmpty, found.identities.isEmpty else {
                throw CommandFailure(
                    .inputMalformed, "\(file) holds more than certificates.",
                    advice: "`latchkey import` takes keys and identities, too.")
            }
            read = read + found
        }
        let device = try DeviceAccess(common, makesDevice: true)
        let adding = ObjectAdding(
            device: device, owner: try device.authority(for: group.accessGroup, secrets: common.secrets),
            shared: group.pairs, protection: try ProtectionPair.pairs(accessible), rules: nil)
        return try adding.add(read).report(notes: read.notes, clearFile: nil)
    }
}
