import Foundation
import Security
import SecurityTesting
import Testing

/// `conflicts-restorable`: restoring a version that lost is an ordinary new change.
@Suite("Versions that lost")
struct SyncConflictTests {
    private typealias Lab = LaboratoryApps

    /// Both devices have changed the account "a" at the same time, and the phone's version lost.
    private func labWithConflict() throws -> Lab {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.lab.partition([test.lab["phone"]], [test.lab["laptop"]])
        #expect(test.update("a", "of the phone", on: "phone") == errSecSuccess)
        try test.lab["laptop"].advance(by: .seconds(5))
        #expect(test.update("a", "of the laptop", on: "laptop") == errSecSuccess)
        test.lab.heal()
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "of the laptop") }
        return test
    }

    private func conflict(on name: String, _ test: Lab) throws -> SyncConflict {
        try #require(try test.lab.conflicts.first { $0.device == test.lab[name] })
    }

    @Test("a version that lost says which item it is of")
    func naming() throws {
        let test = try labWithConflict()
        let conflict = try conflict(on: "phone", test)
        #expect(conflict.account == "a" && conflict.service == "notes" && conflict.server == nil)
        #expect(conflict.reason == .overruled)
    }

    @Test(
        "a version that is restored reaches the other device, and the one before is kept",
        arguments: ["phone", "laptop"])
    func restoration(_ name: String) throws {
        let test = try labWithConflict()
        try test.lab["phone"].advance(by: .seconds(60))
        try test.lab["laptop"].advance(by: .seconds(60))
        try test.lab.restore(try conflict(on: name, test))
        #expect(try test.secret("a", on: name) == "of the phone")
        try test.lab.settle()
        let attributes = try test.names.map { try #require(try test.attributes("a", on: $0)) }
        for one in attributes { #expect(one[kSecValueData as String] as? Data == Data("of the phone".utf8)) }
        let dates = attributes.map { $0[kSecAttrModificationDate as String] as? Date }
        #expect(dates[0] == dates[1])
        #expect(try test.lab.conflicts.filter { $0.device == test.lab[name] }.map(\.reason) == [.replaced])
        #expect(test.lab.alarms == [])
        try test.lab.restore(try conflict(on: name, test))
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "of the laptop") }
    }

    @Test("an item that another device deleted comes back everywhere")
    func deleted() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(test.delete("a", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == nil) }
        try test.lab.restore(try conflict(on: "phone", test))
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "one") }
        #expect(try test.lab.conflicts.filter { $0.device == test.lab["phone"] } == [])
        #expect(test.lab.alarms == [])
    }

    @Test("of a restoration and a change at the same time the later one wins, and the other is kept")
    func concurrent() throws {
        let test = try labWithConflict()
        test.lab.partition([test.lab["phone"]], [test.lab["laptop"]])
        try test.lab.restore(try conflict(on: "phone", test))
        try test.lab["laptop"].advance(by: .seconds(5))
        #expect(test.update("a", "later", on: "laptop") == errSecSuccess)
        test.lab.heal()
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "later") }
        let reasons = try test.lab.conflicts.filter { $0.device == test.lab["phone"] }.map(\.reason)
        #expect(reasons == [.replaced, .overruled])
        #expect(test.lab.alarms == [])
    }

    @Test("a locked device names no account and restores nothing")
    func locked() throws {
        let test = try labWithConflict()
        try test.lab["phone"].lock()
        try test.lab["phone"].advance(by: .seconds(60))
        let conflict = try conflict(on: "phone", test)
        #expect(conflict.account == nil && conflict.reason == .overruled)
        let error = #expect(throws: VirtualDeviceError.self) { try test.lab.restore(conflict) }
        #expect(error?.code == .syncFailed)
        try test.lab["phone"].unlock(SyncLaboratory.passcode)
        #expect(try test.secret("a", on: "phone") == "of the laptop")
        try test.lab.restore(conflict)
        #expect(try test.secret("a", on: "phone") == "of the phone")
    }
}
