import LatchkeyCodeSignature
import LatchkeyEncoding
package import LatchkeyKeychainMessages
import LatchkeyPlainText

/// Programs that have used the device, for people and for programs.
package enum AppListing {
    /// One app in a list.
    package static func line(_ app: RegisteredApplication) -> String {
        "\(PlainText.escaped(app.seen.application))  level \(app.seen.level.rawValue), "
            + "\(ItemCount.text(app.itemCount)), seen \(CalendarDate.text(app.lastSeen))"
    }

    /// Everything about one app.
    package static func text(_ app: RegisteredApplication) -> String {
        let seen = app.seen
        let rows = [
            ("App", PlainText.escaped(seen.application)),
            ("Team", seen.team?.text ?? "none: it is not signed"),
            ("Level", seen.level.rawValue),
            ("Program", PlainText.escaped(seen.path)),
            ("SHA-256", Hexadecimal.text(seen.digest)),
            ("First seen", CalendarDate.text(app.firstSeen)),
            ("Last seen", CalendarDate.text(app.lastSeen)),
            ("Items", ItemCount.text(app.itemCount)),
        ]
        let groups = seen.accessGroups.enumerated().map { index, group in
            (index == 0 ? "Groups" : "", PlainText.escaped(group))
        }
        return (rows + groups).map { name, value in
            name + String(repeating: " ", count: max(1, 12 - name.utf8.count)) + value
        }.joined(separator: "\n")
    }

    package static func json(_ app: RegisteredApplication) -> JSONValue {
        let seen = app.seen
        return .object([
            ("app", .string(seen.application)), ("team", seen.team.map { .string($0.text) } ?? .null),
            ("level", .string(seen.level.rawValue)), ("accessGroups", .array(seen.accessGroups.map { .string($0) })),
            ("program", .string(seen.path)), ("digest", .object([("hex", .string(Hexadecimal.text(seen.digest)))])),
            ("firstSeen", .string(CalendarDate.text(app.firstSeen))),
            ("lastSeen", .string(CalendarDate.text(app.lastSeen))),
            ("items", .integer(app.itemCount)),
        ])
    }
}
