import Foundation
import Security
import SecurityTesting
import Testing

@Suite("The network of a laboratory")
struct SyncNetworkTests {
    private typealias Lab = LaboratoryApps

    @Test(
        "whatever is lost, late or comes twice, all devices get everything, and no alarm stays",
        arguments: [1, 2, 3] as [UInt64])
    func losses(_ seed: UInt64) throws {
        let test = try Lab(["phone", "laptop", "tablet"], seed: seed)
        test.lab.network = .init(loss: 0.2, duplication: 0.2, delay: .seconds(1) ... .days(3))
        for name in test.names { #expect(test.add("of \(name)", name, on: name) == errSecSuccess) }
        let settlement = try test.lab.settle()
        for reader in test.names {
            for writer in test.names { #expect(try test.secret("of \(writer)", on: reader) == writer) }
        }
        #expect(settlement.elapsed >= .days(1), "\(settlement)")
        #expect(test.lab.alarms == [], "\(test.lab) \(test.lab.lastSteps)")
    }

    @Test("what is on its way is seen when its time has come, and not before")
    func delay() throws {
        let test = try Lab()
        test.lab.network = .init(delay: .hours(1) ... .hours(1))
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.advance(by: .minutes(59))
        #expect(try test.secret("a", on: "laptop") == nil)
        try test.lab.advance(by: .minutes(2))
        #expect(try test.secret("a", on: "laptop") == "one")
    }

    @Test("a device that is locked while something is on its way takes it after the unlock")
    func lockInBetween() throws {
        let test = try Lab()
        test.lab.network = .init(delay: .hours(1) ... .hours(1))
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.advance(by: .minutes(30))
        try test.lab["laptop"].lock()
        let settlement = try test.lab.settle()
        #expect(settlement.waiting.contains(test.lab["laptop"]))
        try test.lab["laptop"].unlock(SyncLaboratory.passcode)
        #expect(try test.secret("a", on: "laptop") == nil)
        #expect(try test.lab.settle().waiting == [])
        #expect(try test.secret("a", on: "laptop") == "one")
    }

    @Test("the same script with the same seed has the same steps, and with another seed others")
    func repetition() throws {
        func steps(_ seed: UInt64) throws -> [SyncLaboratory.Step] {
            let test = try Lab(["phone", "laptop", "tablet"], seed: seed)
            test.lab.network = .init(loss: 0.2, duplication: 0.2, delay: .seconds(1) ... .days(3))
            for name in test.names { #expect(test.add("of \(name)", name, on: name) == errSecSuccess) }
            try test.lab.settle()
            return test.lab.lastSteps
        }
        let first = try steps(42)
        #expect(try steps(42) == first)
        #expect(try steps(43) != first)
    }

    @Test("a network that lets almost nothing through is a failure that names the seed and the last twenty steps")
    func failure() throws {
        let test = try Lab(seed: 77)
        test.lab.network = .init(loss: 0.99)
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        let error = #expect(throws: VirtualDeviceError.self) { try test.lab.settle() }
        #expect(error?.code == .syncFailed)
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines.count == 21 && lines[0].contains("seed 77"))
        #expect(lines.contains { $0.contains("phone gets no answer") })
    }

    @Test("a side of a partition knows what one of its devices saw before")
    func relay() throws {
        let test = try Lab(["phone", "laptop", "tablet"])
        let (phone, laptop, tablet) = (test.lab["phone"], test.lab["laptop"], test.lab["tablet"])
        test.lab.partition([phone, tablet], [laptop])
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(try test.secret("a", on: "tablet") == "one")
        #expect(try test.secret("a", on: "laptop") == nil)
        test.lab.partition([phone], [tablet, laptop])
        try test.lab.settle()
        #expect(try test.secret("a", on: "laptop") == "one")
        #expect(test.lab.alarms == [])
    }

    @Test(
        "clocks-harmless: a device with a wrong clock loses no change, and its dates are its own",
        arguments: [-3650, 3650])
    func clocks(_ days: Double) throws {
        let test = try Lab()
        test.lab.setClock(of: test.lab["laptop"], offset: .days(days))
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "two", on: "laptop") == errSecSuccess)
        try test.lab.settle()
        #expect(test.update("a", "three", on: "phone") == errSecSuccess)
        try test.lab.settle()
        for name in test.names { #expect(try test.secret("a", on: name) == "three") }
        #expect(try test.lab.conflicts == [])
        #expect(test.lab.alarms == [])
    }
}
