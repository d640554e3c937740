import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

@Suite("The last line of a run")
struct RunReportTests {
    /// The log of a device after these operations.
    private func records(_ operations: [String]) throws -> [AuditRecord] {
        let directory = try TemporaryDirectory()
        let log = AuditLog(directory: directory.path, now: { 1 }, uptime: { Uptime(seconds: 1) })
        for operation in operations {
            let event = AuditEvent(
                program: "p", team: nil, level: .c, processID: 1, userID: 1, executableDigest: [],
                operation: operation, itemClass: "genp", accessGroup: "g", code: 0, rule: "")
            log.record(event, atOnce: false)
        }
        log.close()
        return try AuditReader(directory: directory.path).tail(.max)
    }

    private func refusal(_ rule: Rule, _ reason: String) -> RefusalRecord {
        RefusalRecord(
            time: 1, caller: "p", application: nil, level: .c, operation: "add", itemClass: "genp", accessGroup: "g",
            lockState: "", code: .missingEntitlement,
            refusal: Refusal(ruleName: rule.rawValue, reason: reason, advice: "A."))
    }

    @Test("a run without calls and findings has none")
    func nothing() {
        #expect(RunReport().text == nil)
    }

    @Test("calls are counted, not the records of the log about itself")
    func calls() throws {
        var report = RunReport()
        report.add(calls: try records(["add", "find", "find", "log-carried-on"]))
        #expect(report.text == "3 calls of the keychain; the device refused nothing; no findings")
        var one = RunReport()
        one.add(calls: try records(["find"]))
        #expect(one.text == "1 call of the keychain; the device refused nothing; no findings")
        var none = RunReport()
        none.add(calls: [])
        #expect(none.text == "0 calls of the keychain; the device refused nothing; no findings")
    }

    @Test("refusals have their rules and reasons, in the order in which they came first")
    func refusals() throws {
        var report = RunReport()
        report.add(calls: [])
        report.add(refusals: [
            refusal(.foreignAccessGroup, "Second\u{7}."), refusal(.valueKind, "Other."),
            refusal(.foreignAccessGroup, "First."),
        ])
        #expect(
            report.text
                == "0 calls of the keychain; the device refused 3 calls: 2 × foreign-access-group (First.), "
                + "1 × value-kind (Other.); no findings")
    }

    @Test("findings are counted by kind, the frequent ones first; other text in the files is not shown")
    func findings() {
        var report = RunReport()
        report.add(findings: "ecb\nno-reason\nno-reason\n\u{1B}[2J\nA b\n\n")
        report.add(
            cryptoFindings: """
                latchkey: main (p+0x1): ECB encrypts each block by itself: … [ecb]
                latchkey: main (p+0x2): CBC without an IV. [missing-iv]
                latchkey: a line without a kind
                ]
                [\u{1B}]
                """)
        #expect(report.text == "5 findings: 2 × ecb, 2 × no-reason, 1 × missing-iv")
        var one = RunReport()
        one.add(calls: [])
        one.add(findings: "ecb\n")
        #expect(one.text == "0 calls of the keychain; the device refused nothing; 1 finding: 1 × ecb")
    }
}
