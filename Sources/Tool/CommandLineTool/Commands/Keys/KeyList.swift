package import ArgumentParser
import LatchkeyKeychainMessages

/// `latchkey key list`.
package struct KeyList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the keys of the keychain; never prompts.",
        discussion: "Leaves out keychain keys that require authentication, but not enclave keys.")

    @Option(help: "An access group that is not this tool's own; '*' is all. Asks for the device passcode, each time.")
    package var accessGroup: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: accessGroup, secrets: common.secrets)
        let (parts, locked) = try KeychainReading(device: device, owner: owner).parts(of: ["keys"], withSecrets: false)
        let rows = parts.flatMap { $0.attributes.map(KeyDescription.init) }
        var lines = rows.map(\.line)
        if rows.isEmpty { lines.append("There are no keys here.") }
        if !locked.isEmpty {
            lines.append("Keys of these classes are locked and not shown: \(locked.joined(separator: ", ")).")
        }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("keys", .array(rows.map(\.json))), ("lockedClasses", .array(locked.map(JSONValue.string))),
            ]))
    }
}
