import Foundation
import LatchkeyTestSupport
import Testing

/// Operations on a volume that are ended, or disturbed, at calls of the system below them, in the program `volume-check`.
@Suite("A volume when what stores it fails")
struct FaultTests {
    /// More with `LATCHKEY_KILLS`.
    private static let kills = String(Campaign.count(60, inTests: 20))

    @Test("after a kill everything that was done is there, and nothing is damaged")
    func killsCampaign() throws {
        try check("kills", "20261124", Self.kills)
    }

    @Test("after a loss of power everything that was synchronized is there, and nothing is damaged")
    func powerLossCampaign() throws {
        try check("power", "20261125", Self.kills)
    }

    @Test(
        "after a failing call everything that was done is there, and nothing is damaged",
        arguments: Campaign.isWhole ? 1...3 : 1...1)
    func faultsCampaign(_ seed: Int) throws {
        try check("faults", "\(seed)")
    }

    @Test("after a failing call that reads everything that was done is there, and nothing wrong is read")
    func readings() throws {
        try check("readings", "1")
    }

    @Test("a damaged store gives errors or what a file once had, and is used all the same")
    func damageCampaign() throws {
        try check("damage", "1", String(Campaign.count(150, inTests: 50)))
    }

    private func check(_ arguments: String...) throws {
        let outcome = try Program.run([Program.built("volume-check")] + arguments)
        #expect(outcome.status == 0, "\(String(decoding: outcome.output, as: UTF8.self)) \(outcome.complaints)")
    }
}
