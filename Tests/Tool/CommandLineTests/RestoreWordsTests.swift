import Foundation
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyCommandLineTool
import LatchkeyKeychainMessages
import Security
import Testing

/// The words of a restore that ended early.
@Suite("A restore that ended early says")
struct RestoreWordsTests {
    /// The report of a restore of two items that is interrupted after the first page.
    private static func interrupted(_ policy: RestorePolicy) throws -> BackupRestoration.Report? {
        let machine = try Machine(hasPasscode: false)
        for account in ["one", "two"] { machine.add(account, kSecAttrAccessibleWhenUnlocked, "secret") }
        try machine.setPassword()
        try machine.backUp(encrypted: true)
        machine.deleteItems()
        do {
            try machine.restore(machine.opened(), to: machine.path + "/restored", policy) { _ in false }
            return nil
        } catch RunFailure.unfinished(let report, .cancelled) {
            return report
        }
    }

    private static func text(_ report: Report) -> String {
        report.pieces.map { piece in if case .text(let text) = piece { text } else { "" } }.joined()
    }

    private static func names(_ value: JSONValue) -> [String] {
        if case .object(let members) = value { members.map(\.0) } else { [] }
    }

    private static let failure = CommandFailure(.locked, "It is locked.", why: "By its owner.", advice: "Unlock it.")

    @Test("what ended it, what it had done, and whether items were deleted first", arguments: RestorePolicy.allCases)
    func done(_ policy: RestorePolicy) throws {
        let done = try #require(try Self.interrupted(policy))
        let report = RestoreWords.ended(
            done, Self.failure, verb: "restored", members: .object([("items", RestoreWords.json(done))]))
        let text = Self.text(report)
        #expect(text.hasPrefix("It ended early: It is locked. By its owner.\nUnlock it.\nBy then, it had restored:\n"))
        #expect(text.contains("  items: 2 new\n  files: 0 new"))
        #expect(text.contains("were deleted first") == (policy == .replace))
        #expect(!text.contains("Nothing was restored") && report.status == .locked)
        #expect(Self.names(report.json) == ["items", "error"])
    }

    @Test("that nothing was restored if nothing was")
    func nothing() throws {
        let report = RestoreWords.ended(
            BackupRestoration.Report(), Self.failure, verb: "restored", members: .object([]))
        #expect(Self.text(report).contains("Nothing was restored.\n") && report.status == .locked)
    }
}
