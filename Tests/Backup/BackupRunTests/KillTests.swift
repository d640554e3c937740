import Foundation
import LatchkeyTestSupport
import Testing

@Suite("Killed in the middle")
struct KillTests {
    /// More with `LATCHKEY_KILLS`.
    private static let kills = Campaign.count(100, inTests: 25)
    private static let seed = Campaign.seed(20_261_124)

    @Test("after each kill the folder holds the former backup or the new one, whole")
    func backupsCampaign() throws {
        try check("backups", Self.kills)
    }

    @Test("after each kill a reader has its whole backup to the end, and the next run finds everything")
    func readersCampaign() throws {
        try check("readers", Self.kills / 3)
    }

    @Test("after each kill every restored file is whole, and the next run goes on")
    func restoresCampaign() throws {
        try check("restores", Self.kills / 3)
    }

    @Test("after each kill every restored item is whole, and the next run brings the rest")
    func itemsCampaign() throws {
        try check("items", Self.kills / 5)
    }

    @Test("when the calls of a backup fail from anywhere on, the folder holds the former backup or the new one, whole")
    func faults() throws {
        try check("faults", 6)
    }

    private func check(_ kind: String, _ count: Int) throws {
        let outcome = try Program.run([Program.built("backup-check"), kind, "\(Self.seed)", "\(count)"])
        #expect(outcome.status == 0, "\(String(decoding: outcome.output, as: UTF8.self)) \(outcome.complaints)")
    }
}
