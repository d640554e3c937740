package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages

/// `latchkey sync recover`.
package struct SyncRecover: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Admit this device with the recovery code. Asks for the code and the passcode.",
        discussion: "Every device of the circle shows that this one came with the recovery code.")

    @OptionGroup package var store: StoreInput
    @OptionGroup package var code: CodeInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let address = try store.address()
        let device = try DeviceAccess(common, changes: true)
        let passcode = try device.ownersPasscode(common)
        let text = try code.code(prompt: "Recovery code: ")
        try device.ask(
            RecoverCircle(store: address, deviceName: try store.deviceName(), code: text, passcode: passcode))
        let report = try device.ask(DescribeCircle())
        let newest = report.devices.filter { !$0.isSelf }.compactMap(\.lastHead).max()
        let what = newest.map { "The newest state in the store is of \(CalendarDate.text($0))." } ?? ""
        return Report(
            ["This device is in the circle.", what].filter { !$0.isEmpty }.joined(separator: " "),
            json: .object([
                ("device", .string(Hexadecimal.text(report.device ?? []))),
                ("newestState", newest.map { .string(CalendarDate.text($0)) } ?? .null),
            ]))
    }
}
