package import ArgumentParser
import Glibc
import LatchkeyPropertyListDER

/// `latchkey export`.
package struct ExportCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write passwords, keys and certificates in the formats of other programs.",
        subcommands: [ExportKeys.self, Netrc.self, CSV.self], defaultSubcommand: ExportKeys.self)

    package init() {}

    /// `latchkey export netrc`.
    package struct Netrc: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "netrc", abstract: "Every internet password, in clear, as curl, git and ftp read them.")

        @OptionGroup package var exporting: ExportingOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package mutating func validate() throws { try exporting.validate(common) }

        package func perform() throws(CommandFailure) -> Report {
            try exporting.perform(.netrc, common)
        }
    }

    /// `latchkey export csv`.
    package struct CSV: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "csv", abstract: "Every password, in clear, as browsers read them.")

        @OptionGroup package var exporting: ExportingOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package mutating func validate() throws { try exporting.validate(common) }

        package func perform() throws(CommandFailure) -> Report {
            try exporting.perform(.csv, common)
        }
    }
}

/// What the two exports of passwords have in common.
package struct ExportingOptions: ParsableArguments {
    @Flag(help: "Write to standard output although it is a terminal.")
    package var toTerminal = false

    @Option(help: "An access group that is not this tool's own; '*' is all. Asks for the device passcode, each time.")
    package var accessGroup: String?

    package init() {}

    func validate(_ common: CommonOptions) throws {
        guard !common.json else { throw ValidationError("An export has its own format; --json does not go with it.") }
    }

    func perform(_ format: TransferFormat, _ common: CommonOptions) throws(CommandFailure) -> Report {
        guard toTerminal || isatty(STDOUT_FILENO) == 0 else {
            throw CommandFailure(
                .secretsToTerminal, "The passwords were not written.",
                why: "Standard output is a terminal, where they would stay readable.",
                advice: "Send it to a file (umask 077 first) or a program, or say --to-terminal.")
        }
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: accessGroup, secrets: common.secrets)
        let classes = format == .csv ? ["genp", "inet"] : ["inet"]
        let (parts, locked) = try KeychainReading(device: device, owner: owner).parts(of: classes, withSecrets: true)
        guard locked.isEmpty else {
            throw CommandFailure(
                .locked, "Nothing was exported.",
                why: "The export would lack the locked classes: \(locked.joined(separator: ", ")).",
                advice: "`latchkey unlock`, then export again.")
        }
        var pieces: [Report.Piece] = format == .csv ? [.bytes(Array(ExportWriter.csvHeader.utf8))] : []
        var count = 0
        var leftOut = 0
        for part in parts {
            for attributes in part.attributes {
                guard case .secret(let index)? = attributes["v_Data"], part.secrets.indices.contains(index),
                    let record = record(ExportWriter.Item(attributes: attributes, secret: part.secrets[index]), format)
                else {
                    leftOut += 1
                    continue
                }
                pieces += record
                count += 1
            }
        }
        let note = leftOut > 0 ? "; \(leftOut) that this format cannot hold were left out" : ""
        StandardError.write("latchkey: \(count) passwords exported in clear\(note).\n")
        return Report(
            pieces: pieces,
            json: .object([("exported", .integer(Int64(count))), ("leftOut", .integer(Int64(leftOut)))]),
            status: leftOut > 0 ? .partlyTransferred : .success)
    }

    private func record(_ item: ExportWriter.Item, _ format: TransferFormat) -> [Report.Piece]? {
        switch format {
        case .csv: ExportWriter.csv(item)
        case .netrc: ExportWriter.netrc(item)
        }
    }
}
