import LatchkeyCodeSignature
import LatchkeyCryptoSuite
package import LatchkeyEncoding
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// One entry of the audit log: an event, its count, and its position in the chain (`Docs/Formats/audit-log.md`).
package struct AuditRecord: Sendable, Hashable {
    /// 1 for the first record of a chain.
    package let number: Int64
    /// The time of the first event.
    package let time: WallTime
    /// The number of equal events in this record.
    package let count: Int64
    package let event: AuditEvent
    /// The digest of the previous record; 32 zeros for the first record of a chain.
    package let previous: [UInt8]

    /// The end of a chain, to which the next record is linked.
    struct Link: Sendable, Hashable {
        static let byteCount = 32
        static let start = Link(number: 0, digest: [UInt8](repeating: 0, count: byteCount))

        let number: Int64
        let digest: [UInt8]
    }

    /// The size limit of a record's dictionary.
    static let byteLimit = 4096

    /// Encodes the record's dictionary.
    func encoded() -> [UInt8] {
        var fields: [String: PropertyValue] = [
            "number": .integer(number), "time": .date(time.seconds), "count": .integer(count),
            "program": .string(Self.cut(event.program, 1024)), "level": .string(event.level.rawValue),
            "process": .integer(Int64(event.processID)), "user": .integer(Int64(event.userID)),
            "executable": .data(Array(event.executableDigest.prefix(64))),
            "operation": .string(Self.cut(event.operation, 64)),
            "class": .string(Self.cut(event.itemClass, 32)),
            "group": .string(Self.cut(event.accessGroup, 512)), "code": .integer(Int64(event.code)),
            "rule": .string(Self.cut(event.rule, 128)), "previous": .data(previous),
        ]
        if let team = event.team { fields["team"] = .string(team.text) }
        return DERWriter.encode(.dictionary(fields))
    }

    /// Returns nil if the bytes are not the dictionary of a record.
    init?(_ bytes: [UInt8]) {
        guard case .dictionary(let fields)? = try? DERReader.decode(bytes),
            case .integer(let number)? = fields["number"],
            case .date(let time)? = fields["time"], case .integer(let count)? = fields["count"], count > 0,
            case .string(let program)? = fields["program"], case .string(let levelName)? = fields["level"],
            let level = AssuranceLevel(rawValue: levelName), case .integer(let process)? = fields["process"],
            let processID = Int32(exactly: process), case .integer(let user)? = fields["user"],
            let userID = UInt32(exactly: user), case .data(let executable)? = fields["executable"],
            case .string(let operation)? = fields["operation"], case .string(let itemClass)? = fields["class"],
            case .string(let group)? = fields["group"], case .integer(let code)? = fields["code"],
            let code = Int32(exactly: code), case .string(let rule)? = fields["rule"],
            case .data(let previous)? = fields["previous"], previous.count == Link.byteCount
        else { return nil }
        var team: TeamIdentifier?
        if let field = fields["team"] {
            guard case .string(let text) = field, let known = TeamIdentifier(text) else { return nil }
            team = known
        }
        self.init(
            number: number, time: WallTime(secondsSince2001: time), count: count,
            event: AuditEvent(
                program: program, team: team, level: level, processID: processID, userID: userID,
                executableDigest: executable, operation: operation, itemClass: itemClass, accessGroup: group,
                code: code, rule: rule),
            previous: previous)
    }

    init(number: Int64, time: WallTime, count: Int64, event: AuditEvent, previous: [UInt8]) {
        self.number = number
        self.time = time
        self.count = count
        self.event = event
        self.previous = previous
    }

    static func digest(previous: [UInt8], of dictionary: [UInt8]) -> [UInt8] {
        sha256(previous + dictionary)
    }

    /// Names come from other programs and can exceed the limit of a record.
    private static func cut(_ text: String, _ byteLimit: Int) -> String { PlainText.cut(text, to: byteLimit) }
}
