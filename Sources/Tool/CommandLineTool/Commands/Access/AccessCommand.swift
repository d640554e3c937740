package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey access`.
package struct AccessCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "access", abstract: "The access groups and the level of a program, with the reason.",
        subcommands: [List.self, Test.self, AccessExplain.self])

    package init() {}

    /// `latchkey access list`.
    package struct List: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show the programs that the device has seen, with their groups in order.")

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common)
            let (apps, items) = (try device.applications(), try GroupItems(device))
            guard !apps.isEmpty || items.ofOwner > 0 else { return Report("No program was seen.", json: .array([])) }
            let texts = apps.map { app in
                (["\(app.seen.level.rawValue)  \(PlainText.escaped(app.seen.application))"]
                    + app.seen.accessGroups.map { "     " + items.line($0) }).joined(separator: "\n")
            }
            let json = apps.map { app in
                JSONValue.object([
                    ("app", .string(app.seen.application)), ("level", .string(app.seen.level.rawValue)),
                    ("accessGroups", .array(app.seen.accessGroups.map { .string($0) })),
                    (
                        "items",
                        .object(app.seen.accessGroups.filter(items.mayHold).map { ($0, .integer(items.count($0))) })
                    ),
                ])
            }
            return Report(
                (["Owner's tool\n     " + items.line(OwnersGroup.name)] + texts).joined(separator: "\n"),
                json: .array(json))
        }
    }

    /// `latchkey access test`.
    package struct Test: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Check a program like the daemon does when it connects.",
            discussion: """
                Says what the program would get if this user started it now. The daemon decides over the process that \
                runs; this command has the file only.
                """)

        @Argument(help: ArgumentHelp("The program's file.", valueName: "program"), completion: .file())
        package var program: String

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let assessment = try ProgramAssessment(of: program, on: try DeviceAccess(common))
            return Report(
                assessment.text, json: .object(assessment.json),
                status: assessment.caller.accessGroups.isEmpty ? .accessGroupRefused : .success)
        }
    }
}
