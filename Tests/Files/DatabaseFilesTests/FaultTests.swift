import Foundation
import LatchkeyTestSupport
import Testing

/// Transactions that are ended, or disturbed, at calls of the system below SQLite, in the program `database-check`.
@Suite("A protected database when what stores it fails")
struct FaultTests {
    /// 1 if each call of the system is cut off or fails, 6 if each sixth.
    private static let every = String(Campaign.step(inTests: 6))

    @Test(
        "after a kill, and after a loss of power, every committed transaction is there, and no part of another one",
        arguments: ["kills", "power"], ["delete", "wal"])
    func killsCampaign(_ kind: String, _ mode: String) throws {
        try check(kind, mode)
    }

    @Test(
        "after a kill, a transaction over two databases is in both or in neither, whichever is opened first",
        arguments: ["delete+", "truncate+", "persist+"])
    func killsTogetherCampaign(_ mode: String) throws {
        try check("kills", mode)
    }

    @Test(
        "after a failing call, or on a disk that became read-only, a transaction is there as a whole or not at all",
        arguments: ["delete", "persist", "wal"])
    func faultsCampaign(_ mode: String) throws {
        try check("faults", mode)
    }

    private func check(_ arguments: String...) throws {
        let outcome = try Program.run([Program.built("database-check")] + arguments + [Self.every])
        #expect(outcome.status == 0, "\(String(decoding: outcome.output, as: UTF8.self)) \(outcome.complaints)")
    }
}
