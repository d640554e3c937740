package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages

/// `latchkey sync store`.
package struct SyncStore: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Move the circle to another store, or remove what it has there.",
        subcommands: [SyncStoreMove.self, SyncStoreDelete.self])

    package init() {}
}

/// `latchkey sync store move`.
package struct SyncStoreMove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Go on with the circle in another store. Asks for the passcode.",
        discussion: """
            Every device moves by itself, and writes in the new store what the circle lacks there. The old store stays as it \
            is: copy it to the new place before, so that devices find each other there at once, and delete it when all \
            have moved.
            """)

    @OptionGroup package var store: StorePlaceInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let address = try store.address()
        let device = try DeviceAccess(common, changes: true)
        try device.ask(MoveCircle(to: address, passcode: try device.ownersPasscode(common)))
        return Report(
            "The circle goes on in the new store. Say the same on the other devices.",
            json: .object([("store", .string(address.description))]))
    }
}

/// `latchkey sync store delete`.
package struct SyncStoreDelete: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove everything of the circle from its store, and forget the circle. Asks for the passcode.",
        discussion: "For the last device of a circle. The items of this device stay.")

    @Flag(help: "Do not ask whether that is meant.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        _ = try device.activeCircle()
        if !yes {
            let confirmation = Confirmation(word: "delete", unchanged: "Nothing was deleted.")
            try confirmation.requireTerminal(
                why: "No device could come back into the circle, not with the recovery code either.")
            try confirmation.ask(
                "No device can come back into the circle afterwards, not with the recovery code either.",
                to: "delete it")
        }
        let count = try device.ask(DeleteCircle(passcode: try device.ownersPasscode(common))).count
        return Report(
            "\(ItemCount.text(count, "object")) of the circle were deleted, and it is forgotten. The items stay here.",
            json: .object([("deleted", .integer(Int64(count)))]))
    }
}
