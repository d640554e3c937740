package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// `latchkey access explain`.
package struct AccessExplain: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say which passwords of a service a program finds, and which rule decides.",
        discussion: """
            Looks into all groups, which needs the device passcode and is on record as the owner's access. Passwords \
            themselves are not read.
            """)

    @Argument(help: ArgumentHelp("The program's file.", valueName: "program"), completion: .file())
    package var program: String

    @Argument(help: ArgumentHelp("The service of a generic password.", valueName: "service"))
    package var service: String

    @OptionGroup package var common: CommonOptions

    package init() {}

    /// An item of the service, as far as it decides.
    struct Item {
        let group: String
        let account: String
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let assessment = try ProgramAssessment(of: program, on: device)
        let (items, locked) = try items(on: device)
        let groups = assessment.caller.accessGroups
        let mine = groups.map { group in (group, items.filter { $0.group == group }) }
        let others = Set(items.map(\.group)).subtracting(groups).sorted()
        let decision = decision(assessment.caller, hasItems: mine.contains { !$0.1.isEmpty }, others, locked)
        var lines = [assessment.text, ""]
        for (group, found) in mine {
            let accounts = found.map { $0.account.isEmpty ? "(no account)" : PlainText.escaped($0.account) }
            lines.append(
                "\(PlainText.escaped(group)): " + (found.isEmpty ? "nothing" : accounts.joined(separator: ", ")))
        }
        for group in others { lines.append("\(PlainText.escaped(group)): not a group of this program") }
        lines.append("decides  \(decision.rule)")
        lines.append("because  \(PlainText.escaped(decision.reason))")
        return Report(
            lines.joined(separator: "\n"),
            json: .object(
                assessment.json + [
                    ("service", .string(service)),
                    (
                        "found",
                        .array(
                            mine.flatMap(\.1).map {
                                .object([("accessGroup", .string($0.group)), ("account", .string($0.account))])
                            })
                    ),
                    ("otherGroups", .array(others.map { .string($0) })),
                    ("lockedClasses", .array(locked.map { .string($0) })),
                    ("decides", .string(decision.rule)), ("because", .string(decision.reason)),
                ]))
    }

    /// The rule that decides what a search for the service answers.
    private func decision(
        _ caller: Caller, hasItems: Bool, _ others: [String], _ locked: [String]
    ) -> (rule: String, reason: String) {
        if let refusal = caller.refusal { return (refusal.ruleName, refusal.reason) }
        if caller.isDenied { return (Rule.keychainDenied.rawValue, Rule.keychainDenied.text.reason) }
        if hasItems {
            return ("access group", "A search looks into all groups of the program, and one of them has the item.")
        }
        if !locked.isEmpty {
            return (
                Rule.classKeyLocked.rawValue,
                "Nothing was found that can be read now; items of these classes are locked: "
                    + locked.joined(separator: ", ") + "."
            )
        }
        guard others.isEmpty else {
            return (
                "access group",
                "The items are in groups that the program does not have: to a search they do not exist "
                    + "(errSecItemNotFound), and naming such a group is refused (foreign-access-group)."
            )
        }
        return ("no such item", "No group has a password of this service.")
    }

    private func items(on device: DeviceAccess) throws(CommandFailure) -> (items: [Item], locked: [String]) {
        let everything = "*"
        let owner = try device.authority(for: everything, secrets: common.secrets)
        let reading = KeychainReading(device: device, owner: owner)
        let (parts, locked) = try reading.parts(
            of: ["genp"], matching: [QueryPair(.service, .string(service))], withSecrets: false)
        let items = parts.flatMap(\.attributes).map { attributes in
            Item(group: Self.text(attributes[.accessGroup]), account: Self.text(attributes[.account]))
        }
        return (items, locked)
    }

    private static func text(_ value: PropertyValue?) -> String {
        guard case .string(let text)? = value else { return "" }
        return text
    }
}
