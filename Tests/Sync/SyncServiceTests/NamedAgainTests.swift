import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore
@testable import LatchkeySyncService

/// Rows that have a version, and wait for their names again.
@Suite struct NamedAgainTests {
    private let host = MemoryHost()
    private let passcode = CircleDevice.secret(CircleDevice.passcode)

    private func join(_ device: CircleDevice, by member: CircleDevice) throws {
        try device.join(try member.ask(InviteDevice(passcode: passcode)).code)
        try member.approve()
    }

    private func exchange(_ devices: CircleDevice...) throws {
        for _ in 0..<3 {
            for device in devices { try device.exchange() }
            for device in devices { device.clock.advance(by: 40) }
        }
    }

    @Test(
        "an item whose row is dated after its version, and is named again, stays deleted when another device deletes it"
    )
    func deleted() throws {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try join(second, by: first)
        #expect(first.add("bob", "secret") == .success)
        try exchange(first, second)
        // The clock goes back. The next row is dated after the one that it replaces, and its version is not later.
        first.clock.setWallTime(first.clock.wallTime().seconds - 3600)
        #expect(first.delete("bob") == .success && first.add("bob", "other") == .success)
        try exchange(first, second)
        #expect(second.secret(of: "bob") == "other")
        let items = second.service.shared
        let known = try items.read { try $0.syncItems() }
        let (name, version) = (try #require(known.first?.name), try #require(known.first?.known))
        let date = try #require(try items.read { try $0.modificationDate(ofRowNamed: name) })
        #expect(UInt64(date) > version.time, "the date tells nothing")

        try second.ask(LockDevice(immediately: true))
        try items.write { try $0.nameAllAgain() }
        #expect(first.delete("bob") == .success)
        try exchange(first, second)
        try second.ask(UnlockDevice(passcode))
        try exchange(second, first)
        #expect(first.secret(of: "bob") == nil && second.secret(of: "bob") == nil)
    }

    @Test("what has a version that no other device can have had is an item of the new identity") func renewed() throws {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        #expect(first.add("bob", "old") == .success)
        try exchange(first)
        let items = first.service.shared
        let former = try #require(try items.read { try $0.syncItems() }.first)
        #expect(first.delete("bob") == .success && first.add("bob", "new") == .success)
        try exchange(first)
        var met = try #require(try items.read { try $0.syncItem(named: former.name) }?.known)
        try #require(met.version != former.known?.version)
        // As before its segment is sealed: the change has its version, and what the circle has is the former one.
        met.dot = nil
        try items.write { [met] writer in
            try writer.setSyncItem(met, named: former.name)
            try writer.setSyncReplaced(former.known, named: former.name)
        }
        try first.ask(RepairDevice(code: nil, passcode: passcode))
        try exchange(first)
        try join(second, by: first)
        try exchange(second, first)
        #expect(first.secret(of: "bob") == "new" && second.secret(of: "bob") == "new")
    }
}
