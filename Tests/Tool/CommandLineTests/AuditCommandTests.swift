import ArgumentParser
import Foundation
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Testing

@Suite("latchkey audit")
struct AuditCommandTests {
    /// A device directory with nothing but a log in it.
    private final class LoggedDevice: Sendable {
        let path = NSTemporaryDirectory() + "latchkey-audit-\(UUID().uuidString)"

        init(_ events: [AuditEvent]) throws {
            try FileManager.default.createDirectory(atPath: keychain, withIntermediateDirectories: true)
            let log = AuditLog(directory: keychain, now: { WallTime(secondsSince2001: 822_000_000) }, uptime: { 0 })
            for event in events { log.record(event, atOnce: true) }
            log.close()
        }

        var keychain: String { path + "/keychain" }

        func verify(_ arguments: [String] = []) throws -> Report {
            try AuditVerify.parse(["--device", path] + arguments).perform()
        }

        func change(_ body: (inout Data) -> Void) throws {
            let url = URL(fileURLWithPath: keychain + "/audit")
            var bytes = try Data(contentsOf: url)
            body(&bytes)
            try bytes.write(to: url)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func event(_ operation: String, code: Int32 = 0, rule: String = "", program: String = "/bin/app")
        -> AuditEvent
    {
        AuditEvent(
            program: program, team: nil, level: .b, processID: 12, userID: 1000, executableDigest: [0xAB],
            operation: operation, itemClass: "genp", accessGroup: "g", code: code, rule: rule)
    }

    private static let events = [
        event("find"), event("find", code: -34018, rule: "foreign-access-group"), event("delete", code: -25300),
    ]

    private func text(_ report: Report) -> String {
        report.pieces.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    @Test("tail shows the newest record first, as many as asked for, each on its line")
    func tail() throws {
        let device = try LoggedDevice(Self.events)
        let lines = text(try AuditTail.parse(["--device", device.path, "--limit", "2"]).perform()).split(
            separator: "\n")
        #expect(
            lines == [
                "2027-01-18T21:20:00Z  delete  genp  in g  -25300 errSecItemNotFound  by /bin/app  "
                    + "(level B, process 12, user 1000)",
                "2027-01-18T21:20:00Z  find  genp  in g  -34018 errSecMissingEntitlement, foreign-access-group  "
                    + "by /bin/app  (level B, process 12, user 1000)",
            ])
    }

    @Test("tail has every field in its JSON")
    func tailJSON() throws {
        let device = try LoggedDevice([Self.events[1]])
        guard case .array(let records) = try AuditTail.parse(["--device", device.path, "--json"]).perform().json,
            case .object(let members)? = records.first
        else {
            Issue.record("no array of objects")
            return
        }
        #expect(
            members.map(\.0) == [
                "number", "time", "count", "operation", "class", "accessGroup", "code", "name", "rule", "program",
                "team", "level", "process", "user", "executable",
            ])
    }

    @Test("a program's path cannot write lines of its own or steer the terminal")
    func hostileNames() throws {
        let device = try LoggedDevice([Self.event("find", program: "/bin/\u{1B}[2Ja\nb\u{202E}c\u{85}")])
        let shown = text(try AuditTail.parse(["--device", device.path]).perform())
        #expect(shown.split(separator: "\n").count == 1)
        #expect(shown.contains("by /bin/\\u{1b}[2Ja\\u{a}b\\u{202e}c\\u{85}"))
    }

    @Test("verify succeeds for a log as it was written, and takes back the head it printed")
    func verify() throws {
        let device = try LoggedDevice(Self.events)
        let report = try device.verify()
        #expect(report.status == .success)
        let head = try #require(text(report).split(separator: "\n").last?.split(separator: " ").last)
        #expect(head.hasPrefix("3:") && head.count == 66)
        #expect(try device.verify(["--head", String(head)]).status == .success)
        let other = try LoggedDevice(Self.events + [Self.event("add")])
        #expect(try other.verify(["--head", String(head)]).status == .success, "the same events, the same chain")
        let shorter = try LoggedDevice(Array(Self.events.prefix(2)))
        #expect(try shorter.verify(["--head", String(head)]).status == .auditLogBroken)
    }

    @Test("verify fails with a code of its own where the chain breaks, and says where and why")
    func broken() throws {
        let device = try LoggedDevice(Self.events)
        try device.change { $0[$0.count / 2] ^= 1 }
        let report = try device.verify()
        #expect(report.status == .auditLogBroken)
        #expect(text(report).contains("(changed, in audit, after record 1)"))
    }

    @Test("verify fails as long as a file that was set aside lies there")
    func setAside() throws {
        let device = try LoggedDevice(Self.events)
        let aside = device.keychain + "/audit.broken-1"
        _ = FileManager.default.createFile(atPath: aside, contents: Data([1]))
        #expect(try device.verify().status == .auditLogBroken)
        #expect(text(try device.verify()).contains("audit.broken-1"))
        try FileManager.default.removeItem(atPath: aside)
        #expect(try device.verify().status == .success)
    }

    @Test("a device without a log has nothing to show and nothing broken")
    func empty() throws {
        let device = try LoggedDevice([])
        #expect(try device.verify().status == .success)
        #expect(text(try AuditTail.parse(["--device", device.path]).perform()) == "The audit log is empty.\n")
    }

    @Test("no device, and a log that cannot be read, are failures with their codes")
    func unreadable() throws {
        #expect(throws: CommandFailure.self) { try AuditTail.parse(["--device", "/nonexistent/device"]).perform() }
        let device = try LoggedDevice(Self.events)
        try FileManager.default.removeItem(atPath: device.keychain)
        #expect {
            try device.verify()
        } throws: {
            ($0 as? CommandFailure)?.status == .deviceStorage
        }
    }

    @Test(
        "invalid heads are refused", arguments: ["", "3", "3:", "0:" + zeros, "-1:" + zeros, "3:" + zeros + "00"])
    func badHeads(_ head: String) throws {
        #expect(throws: (any Error).self) { try AuditVerify.parse(["--head", head]) }
    }

    private static let zeros = String(repeating: "0", count: 64)

    @Test("explain names the level, and the application where it is not the name already")
    func explain() {
        func record(_ caller: String, _ application: String?, _ level: AssuranceLevel) -> RefusalRecord {
            RefusalRecord(
                time: 0, caller: caller, application: application, level: level, operation: "find", itemClass: "genp",
                accessGroup: "g", lockState: "", code: .param,
                refusal: Refusal(ruleName: "r", reason: "R.", advice: "A."))
        }
        #expect(ExplainCommand.text(record("/bin/app", nil, .c)).contains("caller  /bin/app (level C)\n"))
        #expect(ExplainCommand.text(record("T.app", "T.app", .a)).contains("caller  T.app (level A)\n"))
        #expect(ExplainCommand.text(record("/bin/app", "T.app", .b)).contains("caller  /bin/app (level B, T.app)\n"))
    }
}
