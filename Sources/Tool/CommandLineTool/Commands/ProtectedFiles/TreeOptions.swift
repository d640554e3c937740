package import ArgumentParser
import LatchkeyFileAccess
import LatchkeyPlainText

/// The options of the commands that work on all files of a tree.
package struct TreeOptions: ParsableArguments {
    @Argument(help: "The directory, with everything below it; or one file.", completion: .directory)
    package var tree: String

    @Flag(name: .shortAndLong, help: "Show no progress.")
    package var quiet = false

    package init() {}

    package mutating func validate() throws {
        if tree.isEmpty { throw ValidationError("The directory has no name.") }
    }

    /// The tree that is named.
    func found() throws(CommandFailure) -> FileTree {
        do throws(AccessFailure) {
            return try FileTree(StoredProtection.isDirectory(tree) ? tree : FileArgument.absolute(tree))
        } catch {
            throw CommandFailure(error, path: tree)
        }
    }

    /// The tree for a command that changes files.
    func foundForChange(_ device: DeviceAccess) throws(CommandFailure) -> FileTree {
        let found = try found()
        let protected = try DeviceFiles(device)
        guard !found.isEverything, !protected.holds(tree) else {
            throw CommandFailure(
                .usage, "\(PlainText.escaped(tree)) was left as it is.",
                why: found.isEverything
                    ? "These are all files of the system, which would not start any more."
                    : "It is part of a device, whose files have the keys, or of what a volume is stored in.",
                advice: "Name a directory with your own files; for a volume, the folder where it is mounted.")
        }
        return found
    }
}
