package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey app`.
package struct AppCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "app", abstract: "The programs that use this device, and their items.",
        subcommands: [List.self, Show.self, Forget.self])

    package init() {}

    /// `latchkey app list`.
    package struct List: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show every program that was seen.")

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common)
            let (apps, items) = (try device.applications(), try GroupItems(device))
            guard !apps.isEmpty || items.ofOwner > 0 else { return Report("No program was seen.", json: .array([])) }
            let owners = "Owner's tool  \(ItemCount.text(items.ofOwner)) (\(OwnersGroup.name))"
            return Report(
                ([owners] + apps.map(AppListing.line)).joined(separator: "\n"),
                json: .array(apps.map(AppListing.json)))
        }
    }

    /// `latchkey app show`.
    package struct Show: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what is known of one program: its team, its level, its groups.")

        @Argument(help: ArgumentHelp("TEAM.bundle, as `latchkey app list` shows it.", valueName: "app"))
        package var app: String

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            guard let found = try DeviceAccess(common).applications().first(where: { $0.seen.application == app })
            else {
                throw CommandFailure(
                    .notRegistered, "No app \(PlainText.escaped(app)) has used this device.",
                    advice: "`latchkey app list` shows those that have.")
            }
            return Report(AppListing.text(found), json: AppListing.json(found))
        }
    }

    /// `latchkey app forget`.
    package struct Forget: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget a program that was removed.",
            discussion: """
                Its items stay, as on iOS, or go with it: `latchkey configure --items-of-forgotten-apps` says which, \
                and --items for this once. Items of a group that another program has stay in any case.
                """)

        @Argument(help: ArgumentHelp("TEAM.bundle, as `latchkey app list` shows it.", valueName: "app"))
        package var app: String

        @Option(help: ArgumentHelp("Keep or remove its items.", valueName: "keep|remove"))
        package var items: ItemFate?

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common, changes: true)
            let passcode = try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
            let count = try device.ask(
                ForgetApplication(app, removesItems: items.map { $0 == .remove }, passcode: passcode)
            ).count
            let fate =
                switch count {
                case 0: "No item was removed."
                case 1: "One item was removed."
                default: "\(count) items were removed."
                }
            return Report(
                "\(PlainText.escaped(app)) is forgotten. \(fate)",
                json: .object([("app", .string(app)), ("removedItems", .integer(Int64(count)))]))
        }
    }
}

/// The fate of the items of a forgotten app.
package enum ItemFate: String, ExpressibleByArgument, CaseIterable, Sendable {
    case keep
    case remove
}
