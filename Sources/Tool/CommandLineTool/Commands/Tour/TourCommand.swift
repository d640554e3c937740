package import ArgumentParser
import LatchkeyPlainText

/// `latchkey tour`.
package struct TourCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tour",
        abstract: "Show what a device does, on a throwaway one with real processes and the secrets of a file.")

    @Argument(
        help: "A netrc file or a browser's CSV export; the sample of this project if none is named.",
        completion: .file())
    package var input: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard common.device == nil else { throw ValidationError("The tour makes a device of its own.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let path = if let input { input } else { try Self.sample() }
        let stage = try TourStage()
        defer { stage.clear() }
        var tour = Tour(stage: stage, inputPath: path, isQuiet: common.json)
        try tour.run()
        return Report(
            Self.ending,
            json: .object([("steps", .array(tour.done.map(JSONValue.string))), ("done", .boolean(true))]))
    }

    private static var ending: String {
        let latchkey = ToolProgram.invokedName
        return """


            All of it happened on a throwaway device, which is gone. Start for real:
              \(latchkey) start
              \(latchkey) passcode set
              \(latchkey) add-generic-password -s SERVICE -a ACCOUNT -w
            """
    }

    /// The sample lies in the project, above the directory that this program was built in.
    private static func sample() throws(CommandFailure) -> String {
        var directory = Program.directoryOfThisOne
        while let parent = directory, !parent.isEmpty {
            let sample = parent + "/Examples/Input/sample.netrc"
            if BoundedFile.isReadable(sample) { return sample }
            directory = PathText.parent(of: parent)
        }
        throw CommandFailure(
            .inputUnreadable, "The sample file was not found.",
            why: "This program does not lie in the project's build directory.",
            advice: "Name a netrc file or a browser's CSV export: latchkey tour FILE.")
    }
}
