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

/// The options that the two exports of passwords share.
package struct ExportingOptions: ParsableArguments {
    @Flag(help: "Write to standard output even if it is a terminal, but refuse control characters.")
    package var toTerminal = false

    @Option(help: "An access group that is not this tool's own; '*' is all. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @OptionGroup package var asking: AskingOptions

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
        let reading = KeychainReading(device: device, owner: owner)
        var export = PasswordExport(format: format)
        if format == .netrc {
            let others = try reading.parts(of: ["genp"], withSecrets: false).parts
            export.leaveOut(others.reduce(0) { $0 + $1.attributes.count }, .notOfServers)
        }
        let found = try reading.partsAskedFor(of: format == .csv ? ["genp", "inet"] : ["inet"], asking: asking.pairs())
        guard found.locked.isEmpty else {
            throw CommandFailure(
                .locked, "Nothing was exported.",
                why: "The export would lack the locked classes: \(found.locked.joined(separator: ", ")).",
                advice: device.unlockAdvice + " Then export again.")
        }
        export.lacksGuarded = found.leavesOutGuarded
        for part in found.parts { export.add(part) }
        let report = export.report
        guard isatty(STDOUT_FILENO) == 0 || report.isForTerminals else {
            throw CommandFailure(
                .secretsToTerminal, "The passwords were not written.",
                why: "A name or a secret is not plain text, and standard output is a terminal, which would obey its "
                    + "control characters.",
                advice: "Send it to a file (umask 077 first) or a program.")
        }
        StandardError.write(export.summary)
        return report
    }
}
