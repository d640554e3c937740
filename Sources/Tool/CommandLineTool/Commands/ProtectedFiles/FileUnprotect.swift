package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// `latchkey file unprotect`.
package struct FileUnprotect: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "unprotect", abstract: "Store all protected files of a directory in clear.",
        discussion: """
            Do this before the device is erased or removed: without it no protected file can be read. Works like `file \
            protect`: an interruption leaves each file as it was or in clear, and the same command goes on. Directories \
            lose their class. Files whose class is closed now are left as they are.
            """)

    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and do nothing.")
    package var dryRun = false

    @Flag(help: "Do not ask for the word \"unprotect\".")
    package var yes = false

    @OptionGroup package var options: TreeOptions
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let tree = try options.foundForChange(device)
        let excluded = try DeviceFiles(device)
        let plan = try TreePlan.made(of: tree, options, excluding: excluded.excludes)
        let amount = plan.protectedFiles
        let words =
            "\(ItemCount.text(amount.files, "protected file")) (\(FileSize.text(Int(clamping: amount.bytes)))) "
            + "will be stored in clear, for every program and everybody with the disk to read."
        if dryRun {
            return Report(words, json: .object([("plan", .object([("protected", ProtectionPlan.json(amount))]))]))
        }
        if !yes {
            let confirmation = Confirmation(word: "unprotect", unchanged: "Nothing was changed.")
            try confirmation.requireTerminal(why: "This stores files in clear, and there is no terminal to ask on.")
            try confirmation.ask(words)
        }
        if plan.protected.keys.contains(where: { found in
            found.map { !FileAvailability((try? device.status().enclave.lockState) ?? .unlocked).canOpen($0) } ?? false
        }) {
            // Those that stay closed are named, each by itself.
            _ = device.offerUnlocking()
        }
        let run = TreeRun(phase: "Unprotecting", total: amount.bytes, isQuiet: options.quiet)
        try run.run(.unprotect, on: tree, device.files, excluding: excluded.excludes)
        let done = "\(ItemCount.text(run.files, "file")) (\(FileSize.text(run.bytes))) stored in clear."
        return Report(
            ([done] + run.lines).joined(separator: "\n"), json: .object(run.members), status: run.status)
    }
}
