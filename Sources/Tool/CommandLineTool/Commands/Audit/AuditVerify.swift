package import ArgumentParser
import LatchkeyAuditLog
import LatchkeyEncoding

/// `latchkey audit verify`.
package struct AuditVerify: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that the audit log is as it was written.",
        discussion: """
            Every record has the digest of the one before, so changed, removed or moved records show. Somebody who can \
            write the device directory could still cut off the end, or write a whole new log: keep the head that this \
            command prints somewhere else, and give it back with --head.
            """)

    @Option(
        help: ArgumentHelp("A head that an earlier check printed; it must still be there.", valueName: "number:hex"))
    package var head: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard let head else { return }
        guard Self.head(head) != nil else {
            throw ValidationError("A head is a number, a colon and 64 hexadecimal digits.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let expected = head.flatMap(Self.head)
        let verdict = try AuditReader.read(common) { reader throws(AuditReadFailure) in
            try reader.verify(expecting: expected)
        }
        let isWhole = verdict.fault == nil && verdict.asideFiles.isEmpty
        return Report(Self.text(verdict), json: Self.json(verdict), status: isWhole ? .success : .auditLogBroken)
    }

    private static func text(_ verdict: AuditVerdict) -> String {
        var lines: [String] = []
        if let fault = verdict.fault {
            lines += [
                "The audit log is BROKEN: \(fault)",
                "  do: keep the files, and find out who could write them and when.",
            ]
        } else if verdict.recordCount > 0 {
            lines.append("The audit log is as it was written.")
        } else {
            lines.append("The audit log is empty.")
        }
        if let first = verdict.firstTime, let last = verdict.lastTime {
            let (from, to) = (CalendarDate.text(first), CalendarDate.text(last))
            lines.append("\(verdict.recordCount) sound records, from \(from) to \(to)")
        }
        if let head = verdict.head { lines.append("head \(text(head))") }
        if !verdict.asideFiles.isEmpty {
            lines += [
                "Former chains were found broken and are kept: \(verdict.asideFiles.joined(separator: ", ")).",
                "  do: look into them, then move them away; until then this check fails.",
            ]
        }
        return lines.joined(separator: "\n")
    }

    private static func json(_ verdict: AuditVerdict) -> JSONValue {
        let fault = verdict.fault.map { fault -> JSONValue in
            .object([
                ("kind", .string(fault.kind.rawValue)), ("file", .string(fault.file)),
                ("lastSoundNumber", .integer(fault.lastSoundNumber)), ("what", .string(fault.description)),
            ])
        }
        return .object([
            ("records", .integer(Int64(verdict.recordCount))),
            ("firstNumber", verdict.firstNumber.map(JSONValue.integer) ?? .null),
            ("first", verdict.firstTime.map { .string(CalendarDate.text($0)) } ?? .null),
            ("last", verdict.lastTime.map { .string(CalendarDate.text($0)) } ?? .null),
            ("head", verdict.head.map { .string(text($0)) } ?? .null), ("fault", fault ?? .null),
            ("setAside", .array(verdict.asideFiles.map(JSONValue.string))),
        ])
    }

    private static func text(_ head: AuditVerdict.Head) -> String {
        "\(head.number):\(Hexadecimal.text(head.digest))"
    }

    private static func head(_ text: String) -> AuditVerdict.Head? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), number > 0,
            let digest = Hexadecimal.bytes(from: parts[1].utf8), digest.count == 32
        else { return nil }
        return AuditVerdict.Head(number: number, digest: digest)
    }
}
