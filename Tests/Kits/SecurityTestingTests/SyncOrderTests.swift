import Security
import SecurityTesting
import Testing

/// The order of calls on devices whose exchange is off or busy.
@Suite struct SyncOrderTests {
    private typealias Lab = LaboratoryApps

    /// Devices with one item, of which the phone exchanges nothing for the time being.
    private static func away(_ exchange: SyncLaboratory.Exchange) throws -> Lab {
        let test = try Lab()
        #expect(test.add("a", "one", on: "phone") == errSecSuccess)
        try test.lab.settle()
        try test.lab.setExchange(of: test.lab["phone"], exchange)
        return test
    }

    private static func comeBack(_ test: Lab) throws {
        try test.lab.settle()
        try test.lab.setExchange(of: test.lab["phone"], .running)
        try test.lab.settle()
    }

    @Test(
        "later-call-wins: an older change of a device whose exchange is off or busy loses, and is kept",
        arguments: [SyncLaboratory.Exchange.paused, .busy])
    func older(_ exchange: SyncLaboratory.Exchange) throws {
        let test = try Self.away(exchange)
        #expect(test.update("a", "old", on: "phone") == errSecSuccess)
        try test.lab.advance(by: .minutes(1))
        #expect(test.update("a", "new", on: "laptop") == errSecSuccess)
        try Self.comeBack(test)
        for name in test.names { #expect(try test.secret("a", on: name) == "new") }
        #expect(try !test.lab.conflicts.isEmpty)
    }

    @Test(
        "later-call-wins: an older deletion does not delete a newer value, and a newer one does",
        arguments: [SyncLaboratory.Exchange.paused, .busy], [true, false])
    func deletion(_ exchange: SyncLaboratory.Exchange, _ isOlder: Bool) throws {
        let test = try Self.away(exchange)
        if isOlder { #expect(test.delete("a", on: "phone") == errSecSuccess) }
        try test.lab.advance(by: .minutes(1))
        #expect(test.update("a", "new", on: "laptop") == errSecSuccess)
        try test.lab.advance(by: .minutes(1))
        if !isOlder { #expect(test.delete("a", on: "phone") == errSecSuccess) }
        try Self.comeBack(test)
        for name in test.names { #expect(try test.secret("a", on: name) == (isOlder ? "new" : nil)) }
    }

    @Test("later-call-wins: a newer change that was written without names wins over an older one that comes before it")
    func newer() throws {
        let test = try Self.away(.paused)
        #expect(test.update("a", "old", on: "laptop") == errSecSuccess)
        try test.lab.advance(by: .minutes(1))
        #expect(test.update("a", "new", on: "phone") == errSecSuccess)
        try Self.comeBack(test)
        for name in test.names { #expect(try test.secret("a", on: name) == "new") }
    }

    @Test("an item that was added and deleted while the exchange was off leaves nothing") func unknown() throws {
        let test = try Self.away(.paused)
        #expect(test.add("b", "mine", on: "phone") == errSecSuccess)
        try test.lab.advance(by: .minutes(1))
        #expect(test.add("b", "theirs", on: "laptop") == errSecSuccess)
        try test.lab.advance(by: .minutes(1))
        #expect(test.delete("b", on: "phone") == errSecSuccess)
        try Self.comeBack(test)
        for name in test.names { #expect(try test.secret("b", on: name) == "theirs") }
    }
}
