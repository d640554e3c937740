package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey file protect`.
package struct FileProtect: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "protect", abstract: "Give all files of a directory a class.",
        discussion: """
            Shows first how many files this is about and what is left as it is, and asks. Each file in clear becomes a \
            protected one in a new file that takes its place when it is whole and on disk: an interruption, a crash or a \
            loss of power leaves each file as it was or protected. The same command then goes on. Directories get the \
            class, too, which new files in them inherit.
            """)

    @Option(name: .customLong("class"), help: ArgumentHelp("The class: \(FileClassName.choices).", valueName: "class"))
    package var fileClass: FileClassArgument

    @Flag(help: "Also change files and directories that have another class.")
    package var reclass = false

    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and do nothing.")
    package var dryRun = false

    @Flag(help: "Do not ask for the word \"protect\".")
    package var yes = false

    @OptionGroup package var options: TreeOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let tree = try options.foundForChange(device)
        let excluded = try DeviceFiles(device)
        let words = ProtectionPlan(
            try TreePlan.made(of: tree, options, excluding: excluded.excludes), fileClass.protection, reclass: reclass)
        if dryRun {
            return Report(words.text, json: .object([("plan", words.json)]))
        }
        try requireKeys(device)
        if !yes {
            let confirmation = Confirmation(word: "protect", unchanged: "Nothing was protected.")
            try confirmation.requireTerminal(why: "This changes files, and there is no terminal to ask on.")
            try confirmation.ask(words.text)
        }
        let run = TreeRun(
            phase: "Protecting", total: words.plan.byteCount(reclass: reclass), isQuiet: options.quiet)
        let deed = TreeWork.Deed.protect(fileClass.protection, changesOthers: reclass)
        try run.run(deed, on: tree, device.files, excluding: excluded.excludes)
        let name = FileClassName.readable(fileClass.protection)
        let done =
            "\(ItemCount.text(run.files, "file"))\(run.bytes > 0 ? " (\(FileSize.text(run.bytes)))" : "") "
            + "and \(ItemCount.text(run.directories, "directory", "directories")) got the class \(name)."
        return Report(
            ([done] + run.lines).joined(separator: "\n"),
            json: .object([("class", .string(fileClass.protection.rawValue))] + run.members), status: run.status)
    }

    /// Refuses before anything is changed if the device makes no keys of the class now.
    private func requireKeys(_ device: DeviceAccess) throws(CommandFailure) {
        let state = FileAvailability(try device.status().enclave.lockState)
        guard !state.canCreate(fileClass.protection) else { return }
        if device.offerUnlocking() { return }
        throw CommandFailure(
            .locked, "Nothing was protected.",
            why: "The device is locked, and makes no keys of the class "
                + "\(FileClassName.readable(fileClass.protection)) now.",
            advice: device.unlockAdvice)
    }
}

extension TreePlan {
    /// A look at all entries, with progress.
    static func made(
        of tree: FileTree, _ options: TreeOptions, excluding isExcluded: (OpenDirectory) -> Bool
    ) throws(CommandFailure) -> TreePlan {
        let progress = ProgressLine(isQuiet: options.quiet)
        progress?.begin("Looking", total: nil)
        do throws(AccessFailure) {
            return try TreePlan(tree, excluding: isExcluded) { byteCount in
                progress?.advance(by: Int(clamping: byteCount))
                return true
            }
        } catch {
            throw CommandFailure(error, path: options.tree)
        }
    }
}
