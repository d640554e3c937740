package import ArgumentParser
import LatchkeyFileAccess

/// `latchkey file check`.
package struct FileCheckCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read and verify all protected files of a directory.",
        discussion: """
            Names each file that is damaged or was altered, with the ranges of bytes, and ends with 65 if there is one. \
            Nothing is changed. Files in clear cannot be verified, and are passed over.
            """)

    @OptionGroup package var options: TreeOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let tree = try options.found()
        let excluded = try DeviceFiles(device)
        let plan = try TreePlan.made(of: tree, options, excluding: excluded.excludes)
        let run = TreeRun(phase: "Checking", total: plan.protectedFiles.bytes, isQuiet: options.quiet)
        try run.run(.check, on: tree, device.files, excluding: excluded.excludes)
        let damaged = run.damagedCount > 0 ? ", \(run.damagedCount) damaged" : ""
        let clear = plan.clear.files > 0 ? " \(ItemCount.text(plan.clear.files, "file")) in clear passed over." : ""
        let done = "\(ItemCount.text(run.files, "protected file")) intact\(damaged).\(clear)"
        let members: [(String, JSONValue)] = [
            ("damaged", .array(run.damaged)), ("damagedCount", .integer(Int64(run.damagedCount))),
            ("clear", .integer(Int64(plan.clear.files))),
        ]
        return Report(
            ([done] + run.lines).joined(separator: "\n"), json: .object(members + run.members), status: run.status)
    }
}
