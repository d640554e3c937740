import LatchkeyCodeSignature
import LatchkeyKeychainMessages

/// What a migration did, what it left, and what never moves.
struct MigrationReport {
    private let migration: Migration
    private let teams: [String]

    init(_ migration: Migration) throws(CommandFailure) {
        self.migration = migration
        guard case .teams(let teams) = try migration.source.device.ask(.teams) else {
            throw CommandFailure(.failure, "The device answered something else than its teams.")
        }
        self.teams = teams.filter { $0.revoked == nil && !$0.isExpired }.map { $0.key.identifier.text }
    }

    var report: Report {
        let verb = migration.keepsItems ? "copied" : "moved"
        var lines = [
            "\(items(migration.moved)) \(verb) from \(migration.source.name) to \(migration.target.name)."
        ]
        if migration.present > 0 { lines.append("\(items(migration.present)) had been there already.") }
        if !migration.left.isEmpty {
            lines.append("Not \(verb):")
            lines += migration.left.map { left in "  \(left.what): \(left.why.withoutFullStop)." }
        }
        lines.append("Passcode, fingers, settings, audit log and the list of apps stay with their device.")
        if !teams.isEmpty {
            lines.append(
                "Trust on the other device, where you want to: \(teams.joined(separator: ", ")) (latchkey team trust).")
        }
        return Report(
            lines.joined(separator: "\n"),
            json: .object([
                ("from", .string(migration.source.name)), ("to", .string(migration.target.name)),
                ("moved", .integer(Int64(migration.moved))), ("present", .integer(Int64(migration.present))),
                (
                    "left",
                    .array(
                        migration.left.map { left in
                            .object([
                                ("class", .string(left.itemClass)), ("item", .string(left.what)),
                                ("why", .string(left.why)),
                            ])
                        })
                ),
                ("teams", .array(teams.map(JSONValue.string))),
            ]), status: migration.left.isEmpty ? .success : .partlyTransferred)
    }

    private func items(_ count: Int) -> String { count == 1 ? "One item" : "\(count) items" }
}

extension String {
    /// For a sentence that goes on, or ends itself.
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
