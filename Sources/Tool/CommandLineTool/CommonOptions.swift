package import ArgumentParser

/// The options that every command has.
package struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory of the device to use.", valueName: "dir"), completion: .directory)
    package var device: String?

    @Flag(help: "Write one JSON document to standard output, also when the command fails.")
    package var json = false

    @Option(help: ArgumentHelp("Read the device passcode from this descriptor instead.", valueName: "n"))
    package var passcodeFd: Int32?

    package init() {}

    var secrets: SecretSource { SecretSource(passcodeDescriptor: passcodeFd) }
}

/// A command of the tool: what it does is ``perform()``; how it reports is the same for all.
package protocol ToolCommand: ParsableCommand {
    var common: CommonOptions { get }
    func perform() throws(CommandFailure) -> Report
}

extension ToolCommand {
    package func run() throws {
        do {
            let report = try perform()
            try report.write(asJSON: common.json)
            if !common.json { report.question?() }
            guard report.status == .success else { throw ExitCode(report.status.rawValue) }
        } catch let failure as CommandFailure {
            try failure.report(asJSON: common.json)
        }
    }
}

extension CommandFailure {
    /// Tells the user or the program, and ends with the failure's exit code.
    ///
    /// - Parameter usage: how the command is called, for people.
    func report(asJSON: Bool, usage: String = "") throws(ExitCode) -> Never {
        if asJSON {
            var writer = JSONWriter(descriptor: 1)
            if !writer.write(document: json) { StandardError.write(text) }
        } else {
            StandardError.write(text + usage)
        }
        throw ExitCode(status.rawValue)
    }
}
