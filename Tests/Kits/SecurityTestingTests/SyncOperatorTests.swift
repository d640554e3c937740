import Foundation
import Security
import SecurityTesting
import Testing

/// The operator of the store does what the threat model allows.
@Suite("A store in bad hands")
struct SyncOperatorTests {
    private typealias Lab = LaboratoryApps

    @Test("a store that goes back is noticed, filled again, and nothing is lost")
    func rollBack() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab.advance(by: .hours(3))
        #expect(test.update("a", "two", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.lab.store.rollBack(by: .hours(2))
        let settlement = try test.lab.settle()
        #expect(settlement.alarms.contains(.storeRolledBack(test.lab["phone"])), "\(settlement)")
        #expect(test.lab.alarms == [])
        try test.lab.join("watch")
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "two") }
        #expect(test.lab.alarms == [])
    }

    @Test("a copy of the store that comes back is a store that went back")
    func replay() throws {
        let test = try Lab()
        let old = test.lab.store.capture()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.lab.store.rollBack(to: old)
        #expect(try test.lab.settle().alarms.contains(.storeRolledBack(test.lab["phone"])))
        #expect(try test.secret("a", on: "laptop") == "one")
    }

    @Test("withholding-detected: what the store withholds from a device is missed when another device has it")
    func withholding() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        let (phone, tablet) = (test.lab["phone"], test.lab["tablet"])
        test.lab.store.withhold(from: tablet, writtenBy: phone)
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        let settlement = try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "one")
        #expect(try test.secret("a", on: "tablet") == nil)
        #expect(settlement.alarms == [.storeWithholds(phone)])
        #expect(test.lab.alarms(shownBy: tablet) == [.storeWithholds(phone)])
        test.lab.store.stopWithholding()
        try test.lab.settle()
        #expect(try test.secret("a", on: "tablet") == "one")
        #expect(test.lab.alarms == [])
    }

    @Test("what the store withholds from everybody cannot be told from a device that is off")
    func withholdingAll() throws {
        let test = try Lab()
        test.lab.store.withhold(from: test.lab["laptop"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        #expect(try test.lab.settle().alarms == [])
        #expect(try test.secret("a", on: "laptop") == nil)
    }

    @Test("what the store loses is written again")
    func loss() throws {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        test.lab.store.lose(.all)
        #expect(test.lab.store.capture().objects.isEmpty)
        try test.lab.settle()
        try test.lab.advance(by: .days(2))
        #expect(!test.lab.store.capture().objects.isEmpty)
        #expect(test.update("a", "two", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "two") }
        #expect(test.lab.alarms == [])
    }

    @Test("what the store alters counts as missing, and comes when its device writes it again")
    func corruption() throws {
        let test = try Lab()
        test.lab.network = .init(delay: .hours(1) ... .hours(1))
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.advance(by: .minutes(10))
        test.lab.store.corrupt(.written(by: test.lab["phone"]))
        try test.lab.advance(by: .minutes(55))
        #expect(try test.secret("a", on: "laptop") == nil)
        try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "one")
        #expect(test.lab.alarms == [])
    }

    @Test("a device that was set back finds out and writes nothing, and the others go on")
    func settingBack() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        let mark = try test.lab.mark()
        #expect(test.update("a", "two", on: "tablet") == errSecSuccess)
        try test.lab.settle()
        try test.lab.setBack(test.lab["tablet"], to: mark)
        #expect(try test.secret("a", on: "tablet") == "one")
        let settlement = try test.lab.settle()
        #expect(settlement.alarms.contains(.identityDuplicated(test.lab["tablet"])), "\(settlement)")
        #expect(test.add("of the old one", "x", on: "tablet") == errSecSuccess)
        try test.lab.settle()
        for name in ["phone", "laptop"] {
            #expect(try test.secret("a", on: name) == "two")
            #expect(try test.secret("of the old one", on: name) == nil)
        }
    }

    @Test("a device that was set back is repaired: what was deleted does not come back, and its own changes arrive")
    func repair() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        for account in ["stays", "goes"] { #expect(test.add(account, "one", on: "phone") == errSecSuccess) }
        try test.lab.settle()
        let mark = try test.lab.mark()
        #expect(test.update("stays", "two", on: "tablet") == errSecSuccess)
        #expect(test.delete("goes", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        try test.lab.setBack(test.lab["tablet"], to: mark)
        #expect(try test.secret("goes", on: "tablet") == "one")
        try test.lab.settle()
        #expect(test.add("mine", "x", on: "tablet") == errSecSuccess)
        try test.lab.repair(test.lab["tablet"], by: test.lab["phone"])
        try test.lab.settle()
        for name in test.names {
            #expect(try test.secret("stays", on: name) == "two", "\(name)")
            #expect(try test.secret("goes", on: name) == nil, "\(name)")
            #expect(try test.secret("mine", on: name) == "x", "\(name)")
        }
        #expect(test.lab.alarms == [])
        #expect(test.lab.members(accordingTo: test.lab["phone"]) == Set(test.lab.devices))
    }

    @Test("a clone that writes before it looks is reported by the others")
    func clone() throws {
        var test = try Lab(["phone", "laptop", "tablet"])
        let mark = try test.lab.mark()
        let twin = try test.lab.restore(test.lab["tablet"], from: mark, as: "twin")
        test.install(on: "twin")
        test.lab.partition([twin, test.lab["phone"]], [test.lab["tablet"], test.lab["laptop"]])
        #expect(test.add("of the twin", "x", on: "twin") == errSecSuccess)
        #expect(test.add("of the tablet", "y", on: "tablet") == errSecSuccess)
        try test.lab.settle()
        test.lab.heal()
        #expect(try test.lab.settle().alarms.contains(.identityDuplicated(test.lab["tablet"])))
        // Those who saw one of the two histories have the proof when they see the other one.
        #expect(test.lab.alarms(shownBy: test.lab["laptop"]).contains(.identityDuplicated(test.lab["tablet"])))
    }
}
