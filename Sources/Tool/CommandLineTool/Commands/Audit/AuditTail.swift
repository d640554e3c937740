package import ArgumentParser
package import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyPlainText

/// `latchkey audit tail`.
package struct AuditTail: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "The last records of the audit log, newest first.",
        discussion: "It shows what is written. Whether that is all that ever was, `latchkey audit verify` says.")

    @Option(help: ArgumentHelp("The number to show.", valueName: "n"))
    package var limit = 20

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("The limit is between 1 and 100000.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let records = try AuditReader.read(common) { reader throws(AuditReadFailure) in try reader.tail(limit) }
        guard !records.isEmpty else { return Report("The audit log is empty.", json: .array([])) }
        return Report(records.map(Self.text).joined(separator: "\n"), json: .array(records.map(Self.json)))
    }

    /// One record for people, on one line.
    package static func text(_ record: AuditRecord) -> String {
        let event = record.event
        var words = [CalendarDate.text(record.time), event.operation]
        if record.count > 1 { words[1] += " (\(record.count) times)" }
        if !event.itemClass.isEmpty { words.append(event.itemClass) }
        if !event.accessGroup.isEmpty { words.append("in " + event.accessGroup) }
        words.append(outcome(event))
        if !event.program.isEmpty { words.append("by " + event.program) }
        if AuditNote(rawValue: event.operation) == nil {
            words.append(event.processID == 0 ? "(level \(event.level.rawValue))" : processText(event))
        }
        return words.map(PlainText.escaped).joined(separator: "  ")
    }

    private static func processText(_ event: AuditEvent) -> String {
        "(level \(event.level.rawValue), process \(event.processID), user \(event.userID))"
    }

    private static func outcome(_ event: AuditEvent) -> String {
        guard event.code != 0 else { return event.rule.isEmpty ? "done" : "done, \(event.rule)" }
        let name = ErrorTable.name(of: ResultCode(rawValue: event.code)).map { " " + $0 } ?? ""
        return "\(event.code)\(name)" + (event.rule.isEmpty ? "" : ", \(event.rule)")
    }

    package static func json(_ record: AuditRecord) -> JSONValue {
        let event = record.event
        return .object([
            ("number", .integer(record.number)),
            ("time", .string(CalendarDate.text(record.time))),
            ("count", .integer(record.count)), ("operation", .string(event.operation)),
            ("class", .string(event.itemClass)), ("accessGroup", .string(event.accessGroup)),
            ("code", .integer(Int64(event.code))),
            ("name", ErrorTable.name(of: ResultCode(rawValue: event.code)).map(JSONValue.string) ?? .null),
            ("rule", .string(event.rule)), ("program", .string(event.program)),
            ("team", event.team.map { .string($0.text) } ?? .null), ("level", .string(event.level.rawValue)),
            ("process", .integer(Int64(event.processID))), ("user", .integer(Int64(event.userID))),
            ("executable", .string(Hexadecimal.text(event.executableDigest))),
        ])
    }
}
