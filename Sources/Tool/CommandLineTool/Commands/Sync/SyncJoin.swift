package import ArgumentParser
import Glibc
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync join`.
package struct SyncJoin: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Ask a circle to admit this device. Asks for the code and the passcode.",
        discussion: """
            The code comes from `latchkey sync invite` on a device of the circle, where `latchkey sync approve` then \
            admits this one. Items of this device stay: none is deleted by joining.
            """)

    @Flag(help: "Return when the request is in the store, and do not wait for the approval.")
    package var noWait = false

    @OptionGroup package var store: StoreInput
    @OptionGroup package var code: CodeInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let address = try store.address()
        let device = try DeviceAccess(common, changes: true)
        let passcode = try device.ownersPasscode(common)
        let text = try code.code(prompt: "Invitation code: ")
        try device.ask(
            JoinCircle(store: address, deviceName: try store.deviceName(), code: text, passcode: passcode))
        let report = try device.ask(DescribeCircle())
        let identifier = Hexadecimal.text(report.device ?? [])
        guard !noWait else {
            return Report(
                "This device is \(identifier) there. It is admitted with `latchkey sync approve` on the other one, "
                    + "which has to show the same.",
                json: .object([("device", .string(identifier)), ("membership", .string("waiting"))]))
        }
        if !common.json {
            StandardError.write(
                "This device is \(identifier) there. Waiting for `latchkey sync approve` on the other one, which has to "
                    + "show the same (Ctrl-C ends the wait alone).\n")
        }
        let member = try device.waitForMembership()
        return Report(
            "This device is in the circle, with \(ItemCount.text(member.devices.count { $0.isMember }, "device")).",
            json: .object([("device", .string(identifier)), ("membership", .string("member"))]))
    }
}

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

/// `latchkey sync approve`.
package struct SyncApprove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Admit the device that answered the invitation. Asks for the passcode.")

    @Flag(help: "Do not ask whether it is the right device.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        let waiting = try device.ask(ListJoinRequests())
        guard let found = waiting.first else {
            throw CommandFailure(
                .notApproved, "No device waits to be approved.",
                why: "No request with the code of the open invitation is in the store.",
                advice: "Say `latchkey sync join` on the other device; a folder that a program copies may be late.")
        }
        let identifier = Hexadecimal.text(found.identifier)
        let name = PlainText.escaped(found.deviceName)
        if !yes {
            let confirmation = Confirmation(word: "admit", unchanged: "No device was admitted.")
            try confirmation.requireTerminal(why: "The device \(name) would get every item of the circle.")
            try confirmation.ask(
                """
                The device \(name) (\(PlainText.escaped(found.system))), \(identifier), has answered with the code. \
                It would get every item of the circle.
                """, to: "admit it")
        }
        try device.ask(ApproveDevice(found.identifier, passcode: try device.ownersPasscode(common)))
        return .admitted(found)
    }
}

extension Report {
    static func admitted(_ device: WaitingDevice) -> Report {
        Report(
            "The device \(PlainText.escaped(device.deviceName)) is admitted.",
            json: .object([
                ("device", .string(Hexadecimal.text(device.identifier))), ("name", .string(device.deviceName)),
            ]))
    }
}

extension DeviceAccess {
    /// Waits until a member has admitted this device.
    func waitForMembership() throws(CommandFailure) -> CircleReport {
        var known: Int64?
        var shown: String?
        while true {
            let progress = try ask(AwaitSync(after: known))
            let report = try ask(DescribeCircle())
            switch report.membership {
            case .member: return report
            case .waiting:
                known = progress.number
                if let trouble = report.storeTrouble, trouble != shown {
                    StandardError.write("The store cannot be used now: \(PlainText.escaped(trouble)).\n")
                }
                shown = report.storeTrouble
            case .none, .departed, .void:
                throw CommandFailure(
                    .notApproved, "This device was not admitted.", why: "Its request was taken back.",
                    advice: "Ask for a new invitation.")
            }
        }
    }
}
