import LatchkeyCodeSignature
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// The report of a migration: moved items, remaining items, and data that is never migrated.
struct MigrationReport {
    private let migration: Migration
    private let teams: [String]

    /// - Parameter teams: those that the first device trusts.
    init(_ migration: Migration, teams: [String]) {
        self.migration = migration
        self.teams = teams
    }

    /// The teams that a device trusts.
    static func teams(of end: MigrationEnd) throws(CommandFailure) -> [String] {
        try end.device.teams().filter { $0.revoked == nil && !$0.isExpired }.map { $0.key.identifier.text }
    }

    var report: Report {
        var members: [(String, JSONValue)] = [
            ("from", .string(migration.source.name)), ("to", .string(migration.target.name)),
            ("moved", .integer(Int64(migration.moved))), ("present", .integer(Int64(migration.present))),
            ("left", .array(migration.left.map(Self.json))),
            ("setAsideBefore", .integer(Int64(migration.setAsideBefore))),
            ("teams", .array(teams.map(JSONValue.string))),
        ]
        if case .object(let failure)? = migration.failure?.json { members += failure }
        return Report(
            lines.joined(separator: "\n"), json: .object(members),
            status: migration.failure?.status ?? (migration.left.isEmpty ? .success : .partlyTransferred))
    }

    private var lines: [String] {
        let verb = migration.keepsItems ? "copied" : "moved"
        let ends = [migration.source, migration.target].map { PlainText.escaped($0.name) }
        var lines = ["\(ItemCount.opening(migration.moved)) \(verb) from \(ends[0]) to \(ends[1])."]
        if migration.present > 0 { lines.append("\(ItemCount.opening(migration.present)) had been there already.") }
        if !migration.left.isEmpty {
            lines.append("Not \(verb):")
            lines += migration.left.map { left in
                "  \(PlainText.escaped(left.what)): \(PlainText.escaped(left.why).withoutFullStop)."
            }
        }
        if migration.setAsideBefore > 0 {
            lines.append(
                "\(ItemCount.opening(migration.setAsideBefore)) that could not be read had been set aside before, and "
                    + "stayed there: latchkey status counts them, and Docs/Manual/Damage.md says what can be done.")
        }
        if let failure = migration.failure {
            let why = failure.why.map { " " + PlainText.escaped($0) } ?? ""
            lines.append("The migration ended before it came to all items: \(PlainText.escaped(failure.what))\(why)")
            lines.append("Fix the problem, then run it again: items that were already \(verb) are recognised.")
        }
        lines.append("Passcode, fingers, settings, audit log and the list of apps stay with their device.")
        if !teams.isEmpty {
            lines.append(
                "Trust on the other device, where you want to: \(teams.joined(separator: ", ")) (latchkey team trust).")
        }
        return lines
    }

    private static func json(_ left: Migration.Left) -> JSONValue {
        .object([
            ("class", left.itemClass.map(JSONValue.string) ?? .null), ("item", .string(left.what)),
            ("why", .string(left.why)),
        ])
    }
}

extension String {
    /// For a sentence that goes on, or ends itself.
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
