package import ArgumentParser
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync join`.
package struct SyncJoin: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Ask a circle to admit this device. Asks for the passcode, and the code of an invitation.",
        discussion: """
            The code comes from `latchkey sync invite` on a device of the circle, where `latchkey sync approve` then \
            admits this one. Without a code, name the fingerprint of such a device, which its `latchkey sync status` \
            shows, and approve the fingerprint that is shown here on exactly that device. Items of this device stay: none is \
            deleted by joining.
            """)

    @Option(
        help: ArgumentHelp(
            "Ask without a code: the fingerprint of the device that is to approve this one.",
            valueName: "fingerprint"))
    package var member: String?

    @Flag(help: "Return when the request is in the store, and do not wait for the approval.")
    package var noWait = false

    @OptionGroup package var store: StoreInput
    @OptionGroup package var code: CodeInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let address = try store.address()
        let member = try member.map { text throws(CommandFailure) in try FingerprintText(argument: text) }
        guard member == nil || code.codeFd == nil else {
            throw CommandFailure(
                .usage, "A device joins with a code, or without one.", advice: "Leave out --member, or --code-fd.")
        }
        let device = try DeviceAccess(common, changes: true)
        let passcode = try device.ownersPasscode(common)
        var groups: [String]?
        if let member {
            try device.ask(
                AskToJoin(store: address, deviceName: try store.deviceName(), member: member, passcode: passcode))
        } else {
            let text = try code.code(prompt: "Invitation code: ")
            let name = try store.deviceName()
            // Said before the request: until then nothing has left this device.
            groups = try device.groups(
                ReadInvitation(store: address, deviceName: name, code: text, passcode: passcode))
            if !common.json { StandardError.write(OwnersItems.ofCircle(groups) + "\n") }
            try device.ask(JoinCircle(store: address, deviceName: name, code: text, passcode: passcode))
        }
        return try wait(device, groups)
    }

    /// - Parameter groups: those that the circle allows; nil if they are not known.
    private func wait(_ device: DeviceAccess, _ groups: [String]?) throws(CommandFailure) -> Report {
        let report = try device.ask(DescribeCircle())
        let identifier = report.device ?? []
        guard !noWait else {
            return Report(
                SyncWords.asked(report, member: member != nil),
                json: json(identifier, report.fingerprint, "waiting", groups))
        }
        if !common.json {
            StandardError.write(
                "\(SyncWords.asked(report, member: member != nil)) Waiting (Ctrl-C ends the wait alone).\n")
        }
        let admitted = try device.waitForAdmission(of: identifier)
        return Report(
            "This device is in the circle, with \(ItemCount.text(admitted.devices.count { $0.isMember }, "device")).",
            json: json(identifier, report.fingerprint, "member", admitted.allowedGroups))
    }

    private func json(
        _ identifier: [UInt8], _ fingerprint: FingerprintText?, _ membership: String, _ groups: [String]?
    ) -> JSONValue {
        .object([
            ("device", .string(Hexadecimal.text(identifier))),
            ("fingerprint", fingerprint.map { .string($0.grouped) } ?? .null), ("membership", .string(membership)),
            ("ownersItems", groups.map { .boolean($0.contains(OwnersGroup.name)) } ?? .null),
        ])
    }
}

extension SyncWords {
    /// Returns the next step for a device that has just asked.
    /// - Parameter member: true if it has asked without a code.
    fileprivate static func asked(_ report: CircleReport, member: Bool) -> String {
        guard member, let fingerprint = report.fingerprint else {
            return "This device is \(Hexadecimal.text(report.device ?? [])) there. It is admitted with "
                + "`latchkey sync approve` on the other one, which has to show the same."
        }
        return "The fingerprint of this device is \(fingerprint.grouped). It is admitted with "
            + "`latchkey sync approve \(fingerprint.grouped)` on the device that was named, and on no other."
    }
}

extension DeviceAccess {
    /// Returns the groups that the circle of an invitation allows; nil if they are not known, or the daemon is older than this
    /// program.
    fileprivate func groups(_ question: ReadInvitation) throws(CommandFailure) -> [String]? {
        do throws(CommandFailure) {
            return try ask(question).allowedGroups
        } catch {
            guard [.failure, .deviceUnreachable].contains(error.status) else { throw error }
            return nil
        }
    }

    /// Waits until a member has admitted this device under an identity, and shows meanwhile what keeps the store from telling.
    func waitForAdmission(of identifier: [UInt8]) throws(CommandFailure) -> CircleReport {
        var known: Int64?
        var shown: String?
        while true {
            let progress = try ask(AwaitSync(after: known))
            let report = try ask(DescribeCircle())
            if report.membership == .member, report.device == identifier { return report }
            guard report.asking == identifier else {
                throw CommandFailure(
                    .notApproved, "This device was not admitted.",
                    why: "Its request was taken back, or its admission does not stand.", advice: "Ask again.")
            }
            known = progress.number
            if let trouble = report.storeTrouble, trouble != shown {
                StandardError.write("The store cannot be used now: \(PlainText.escaped(trouble)).\n")
            }
            shown = report.storeTrouble
        }
    }
}
