package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync conflicts`.
package struct SyncConflicts: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Show the versions of items that lost against others, or bring one back. Asks for the passcode.",
        discussion: """
            A version that lost is kept for 90 days, 1,000 at most. To bring it back is a change like any other: it \
            travels, and the version that it replaces is kept in its place.
            """)

    @Option(help: ArgumentHelp("Bring back the version of this number.", valueName: "n"))
    package var restore: Int64?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: restore != nil)
        let passcode = try device.ownersPasscode(common)
        if let restore {
            try device.ask(RestoreConflict(restore, passcode: passcode))
            return Report("The version \(restore) is back.", json: .object([("restored", .integer(restore))]))
        }
        let conflicts = try device.ask(ListConflicts(passcode: passcode))
        // Versions stay after the circle is left. Their devices have no names then.
        let devices = (try? device.ask(DescribeCircle()))?.devices ?? []
        let lines = conflicts.map { conflict in
            let attributes = conflict.attributes.sorted { $0.key < $1.key }.map {
                "\($0.key)=\(PlainText.escaped($0.value))"
            }
            let known = attributes.isEmpty ? "locked" : attributes.joined(separator: " ")
            return "\(conflict.number)  \(CalendarDate.text(conflict.kept))  \(conflict.itemClass) "
                + "\(PlainText.escaped(conflict.group))  \(known)  (\(Self.origin(of: conflict, in: devices)); \(Self.text(conflict.reason)))"
        }
        return Report(
            lines.isEmpty ? "No version has lost." : lines.joined(separator: "\n"),
            json: .array(conflicts.map(Self.json)))
    }

    private static func origin(of conflict: ConflictReport, in devices: [CircleDevice]) -> String {
        let author = conflict.device.map { " by " + SyncWords.name(of: $0, in: devices) } ?? ""
        let date = conflict.modified.map { " at " + CalendarDate.text($0) } ?? ""
        return "written\(author)\(date)"
    }

    private static func text(_ reason: ConflictReport.Reason) -> String {
        switch reason {
        case .overruled: "another version won"
        case .deleted: "the item was deleted"
        case .joined: "this device and the circle had different ones when it joined"
        case .replaced: "another version was brought back in its place"
        }
    }

    private static func json(_ conflict: ConflictReport) -> JSONValue {
        .object([
            ("number", .integer(conflict.number)), ("class", .string(conflict.itemClass)),
            ("group", .string(conflict.group)), ("reason", .string("\(conflict.reason)")),
            ("kept", .string(CalendarDate.text(conflict.kept))),
            (
                "attributes",
                .object(conflict.attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ), ("modified", conflict.modified.map { .string(CalendarDate.text($0)) } ?? .null),
            ("device", conflict.device.map { .string(Hexadecimal.text($0)) } ?? .null),
        ])
    }
}
