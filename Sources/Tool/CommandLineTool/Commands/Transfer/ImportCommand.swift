package import ArgumentParser
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// `latchkey import`.
package struct ImportCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import passwords, keys and certificates from a file.",
        discussion: "A file whose name is that of a subcommand is named with its directory: ./csv.",
        subcommands: [ImportKeys.self, Netrc.self, CSV.self, ImportIOSBackup.self], defaultSubcommand: ImportKeys.self)

    package init() {}

    /// `latchkey import netrc`.
    package struct Netrc: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "netrc", abstract: "A netrc file, as curl, git and ftp read it.")

        @OptionGroup package var importing: ImportingOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            try importing.perform(.netrc, common)
        }
    }

    /// `latchkey import csv`.
    package struct CSV: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "csv",
            abstract: "The passwords that a browser exported (Chrome, Firefox, Safari and their like).")

        @OptionGroup package var importing: ImportingOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            try importing.perform(.csv, common)
        }
    }
}

/// The options that the two imports of passwords share.
package struct ImportingOptions: ParsableArguments {
    @Flag(name: .customShort("U"), help: "Replace items that exist already.")
    package var updates = false

    @Option(help: ArgumentHelp("When the items can be used: \(AccessibleName.choices).", valueName: "name"))
    package var accessible: String?

    @Argument(help: "The file; - is standard input.", completion: .file())
    package var file: String

    package init() {}

    func perform(_ format: TransferFormat, _ common: CommonOptions) throws(CommandFailure) -> Report {
        let contents = try SecretFile.read(file)
        let imported: ImportedFile
        do {
            imported = try format.read(contents)
        } catch {
            throw CommandFailure(error, path: file)
        }
        var tally = ImportTally()
        let device = try DeviceAccess(common, makesDevice: true)
        let extra = try ProtectionPair.pairs(accessible)
        for (index, password) in imported.passwords.enumerated() {
            let storing = PasswordStoring(
                device: device, itemClass: password.itemClass, primaryKey: password.primaryKey,
                attributes: password.attributes + (password.namesProtection ? [] : extra),
                isSynchronizable: password.isSynchronizable, owner: nil)
            do {
                switch try storing.store(password.secret, replacing: updates) {
                case .added: tally.added += 1
                case .replaced: tally.replaced += 1
                }
            } catch  where error.status == .duplicateItem {
                tally.existing += 1
            } catch  where Self.concernsOneItem(error) {
                // The refusal is about this item alone: its attributes, or the authentication that it requires.
                tally.refused.append((error, index))
            } catch {
                // A cause such as a lock or a full disk refuses the items after this one as well.
                throw CommandFailure(
                    index == 0 ? error.status : .partlyTransferred,
                    "\(index) of \(ItemCount.text(imported.passwords.count, "password")) \(index == 1 ? "was" : "were") imported, then the keychain refused: "
                        + error.what,
                    why: error.why, advice: error.advice, code: error.code)
            }
        }
        if let (failure, _) = tally.refused.first, tally.refused.count == imported.passwords.count { throw failure }
        return tally.report(imported, file: file)
    }

    /// Tells whether the next item may be taken although this one was not.
    private static func concernsOneItem(_ failure: CommandFailure) -> Bool {
        [.authenticationFailed, .cancelled].contains(failure.status)
            || [.param, .noSuchAttr, .dataTooLarge].contains(failure.code)
    }
}

/// Counts of the passwords of a file by their fate.
struct ImportTally {
    var added = 0
    var replaced = 0
    var existing = 0
    /// The failures of passwords that the keychain did not take, each with its index in the file.
    var refused: [(CommandFailure, index: Int)] = []

    func report(_ imported: ImportedFile, file: String) -> Report {
        let notes = imported.notes
        var lines = ["\(added) imported."]
        if replaced > 0 { lines.append("\(replaced) replaced.") }
        if existing > 0 {
            lines.append(
                existing == 1
                    ? "1 was there already and is unchanged; -U replaces it."
                    : "\(existing) were there already and are unchanged; -U replaces them.")
        }
        for (failure, index) in refused.prefix(10) {
            lines.append("Password \(index + 1) of the file was refused: \(failure.what) \(failure.why ?? "")")
        }
        if refused.count > 10 {
            lines.append("\(refused.count - 10) more \(refused.count == 11 ? "was" : "were") refused.")
        }
        lines += notes
        let isWhole = refused.isEmpty && imported.left.isEmpty
        if SecretFile.keepsContents(file) { lines.append(advice(isWhole: isWhole)) }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("added", .integer(Int64(added))), ("replaced", .integer(Int64(replaced))),
                ("existing", .integer(Int64(existing))), ("refused", .integer(Int64(refused.count))),
                ("left", .array(imported.left.map(\.json))), ("notes", .array(notes.map(JSONValue.string))),
            ]), status: isWhole ? .success : .partlyTransferred)
    }

    /// A file is to be deleted only if everything in it is in the keychain.
    private func advice(isWhole: Bool) -> String {
        if !isWhole {
            return
                "The file still holds all of it in clear, and alone what was not imported: move that first, then delete it."
        }
        return existing == 0
            ? "The file still holds them in clear: delete it when you have seen that all is well."
            : "The file still holds them in clear, and for what is unchanged perhaps another password: compare first."
    }
}
