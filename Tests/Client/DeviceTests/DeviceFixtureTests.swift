import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import Testing

/// A whole device as each version of the formats left it on disk: enclave files and database.
@Suite struct DeviceFixtureTests {
    @Test(
        "the device of each format starts locked, unlocks with its passcode and gives every item",
        arguments: [1, 2, 3, 4, 6])
    func opens(_ format: Int) throws {
        let device = try FixtureDevice(ofFormat: format)
        #expect(device.password("dk") == .success("secret of dk"))
        for accessible in ["ak", "ck", "aku", "cku", "akpu"] {
            #expect(device.password(accessible) == .failure(.interactionNotAllowed), "\(accessible)")
        }
        try device.unlock()
        for accessible in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
            #expect(device.password(accessible) == .success("secret of \(accessible)"), "\(accessible)")
        }
        let status = try device.keychain.ask(DescribeDevice())
        // One more was deleted and left a tombstone.
        let ofFormat4: (Int64, Int64) = format < 4 ? (0, 0) : (1, 2)
        #expect(status.itemCounts == ["genp": 7, "inet": 1, "cert": ofFormat4.0, "keys": ofFormat4.1])
        #expect(status.quarantinedRows == 0)
    }

    @Test("a device of format 6 remembers what ended, what its passcode is worth, and when it locks")
    func endings() throws {
        let device = try FixtureDevice(ofFormat: 6)
        let status = try device.keychain.ask(DescribeDevice())
        #expect(status.endedItems.map(\.reason) == [.passcodeRemoved] && status.endedItems.first?.count == 1)
        #expect(status.enclave.passcodeStrength == .more && (status.enclave.secondsPerTry ?? 0) > 0)
        #expect(status.enclave.lockAfterSeconds == 600)
    }

    @Test(
        "the device trusts the team it trusted, has pinned the other, and knows its app", arguments: [3, 4, 6])
    func registries(_ format: Int) throws {
        let device = try FixtureDevice(ofFormat: format)
        let teams = try device.keychain.ask(ListTeams())
        let applications = try device.keychain.ask(ListApplications())
        let status = try device.keychain.ask(DescribeDevice())
        #expect(teams.map(\.name).sorted() == ["Example", "Former"])
        #expect(teams.filter { $0.revoked == nil }.map(\.name) == ["Example"])
        #expect(applications.map(\.seen.application) == ["EIF5MUDOJM.com.example.mail"])
        #expect(applications.map(\.seen.accessGroups) == [["fixture"]])
        #expect(applications.map(\.itemCount) == [format == 3 ? 8 : 11])
        #expect(status.removesItemsOfForgottenApps)
    }
}
