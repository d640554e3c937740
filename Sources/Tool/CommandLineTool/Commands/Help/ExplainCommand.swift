package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey explain`.
package struct ExplainCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Why the last calls were refused, newest first, and what to do.")

    @Option(help: ArgumentHelp("The number to show.", valueName: "n"))
    package var limit = 5

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("The limit is between 1 and 1000.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let records = try DeviceAccess(common).refusals(limit: limit)
        guard !records.isEmpty else { return Report("Nothing was refused since the device started.", json: .array([])) }
        return Report(
            records.map(Self.text).joined(separator: "\n\n"), json: .array(records.map(Self.json)))
    }

    /// One refusal for people. All of it may be of a program's choice: its path, the group, what a reason quotes of them.
    package static func text(_ record: RefusalRecord) -> String {
        let code = [String(record.code.rawValue), ErrorTable.name(of: record.code)].compactMap { $0 }
        let heading = "\(CalendarDate.text(record.time))  \(PlainText.escaped(record.operation))"
        let rows = [
            ("caller", caller(record)), ("class", record.itemClass), ("group", record.accessGroup),
            ("state", record.lockState), ("code", code.joined(separator: " ")), ("rule", record.refusal.ruleName),
            ("why", record.refusal.reason), ("do", record.refusal.advice),
        ]
        let lines = rows.filter { !$0.1.isEmpty }.map { name, value in
            "  " + name + String(repeating: " ", count: 8 - name.utf8.count) + PlainText.escaped(value)
        }
        return ([heading] + lines).joined(separator: "\n")
    }

    private static func caller(_ record: RefusalRecord) -> String {
        let application = record.application.map { $0 == record.caller ? "" : ", \($0)" } ?? ""
        return "\(record.caller) (level \(record.level.rawValue)\(application))"
    }

    private static func json(_ record: RefusalRecord) -> JSONValue {
        .object([
            ("time", .string(CalendarDate.text(record.time))),
            ("caller", .string(record.caller)), ("application", record.application.map(JSONValue.string) ?? .null),
            ("level", .string(record.level.rawValue)), ("operation", .string(record.operation)),
            ("class", .string(record.itemClass)), ("accessGroup", .string(record.accessGroup)),
            ("lockState", .string(record.lockState)), ("code", .integer(Int64(record.code.rawValue))),
            ("name", ErrorTable.name(of: record.code).map(JSONValue.string) ?? .null),
            ("rule", .string(record.refusal.ruleName)), ("reason", .string(record.refusal.reason)),
            ("advice", .string(record.refusal.advice)),
        ])
    }
}
