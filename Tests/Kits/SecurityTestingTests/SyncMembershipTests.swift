import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Devices that come and go")
struct SyncMembershipTests {
    private typealias Lab = LaboratoryApps

    @Test("a device that joins later gets what is there, and keeps what it has")
    func joining() throws {
        var test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        let watch = try test.lab.makeDevice("watch")
        test.install(on: "watch")
        #expect(test.add("of its own", "w", on: "watch") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "watch") == nil)
        try test.lab.join(watch)
        #expect(try test.lab.settle().waiting == [])
        #expect(try test.secret("a", on: "watch") == "one")
        #expect(try test.secret("of its own", on: "laptop") == "w")
        #expect(test.lab.members(accordingTo: test.lab["laptop"]) == Set(test.lab.devices))
        #expect(test.lab.alarms == [])
    }

    @Test("a device that left keeps its items, gets no new ones, and may join again")
    func leaving() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab.leave(test.lab["tablet"])
        try test.lab.settle()
        #expect(test.add("b", "two", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "tablet") == "one")
        #expect(try test.secret("b", on: "tablet") == nil)
        #expect(test.lab.members(accordingTo: test.lab["phone"]) == [test.lab["phone"], test.lab["laptop"]])
        try test.lab.join(test.lab["tablet"], by: test.lab["laptop"])
        try test.lab.settle()
        #expect(try test.secret("b", on: "tablet") == "two")
        #expect(test.lab.alarms == [])
    }

    @Test("the recovery code brings the items to a device when no other is left")
    func recovery() throws {
        var test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { try test.lab[name].stop() }
        let new = try test.lab.makeDevice("new")
        test.install(on: "new")
        try test.lab.recover(new)
        try test.lab.settle()
        #expect(try test.secret("a", on: "new") == "one")
    }

    @Test("a locked device neither admits nor removes another")
    func locked() throws {
        let test = try Lab()
        try test.lab["phone"].lock()
        let error = #expect(throws: VirtualDeviceError.self) {
            try test.lab.remove(test.lab["laptop"], by: test.lab["phone"])
        }
        #expect(error?.code == .syncFailed)
        try test.lab["laptop"].lock()
        let watch = try test.lab.makeDevice("watch")
        #expect(throws: VirtualDeviceError.self) { try test.lab.join(watch) }
        #expect(test.lab.members(accordingTo: test.lab["phone"]) == [test.lab["phone"], test.lab["laptop"]])
    }

    @Test("a wait ends with the change of another device, and fails if none is on its way")
    func waiting() throws {
        let test = try Lab()
        test.lab.network = .init(delay: .days(2) ... .days(2))
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab["laptop"].awaitRemoteChange()
        #expect(try test.secret("a", on: "laptop") == "one")
        try test.lab.settle()
        let error = #expect(throws: VirtualDeviceError.self) { try test.lab["laptop"].awaitRemoteChange() }
        #expect(error?.code == .syncFailed)
        #expect(throws: VirtualDeviceError.self) { try VirtualDevice().awaitRemoteChange() }
    }
}
