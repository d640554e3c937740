import LatchkeyItemModel
import LatchkeySyncCore
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncService

/// A program changes an item between the look at its row and the sealing of its record.
@Suite struct ChangeWhileSealingTests {
    @Test("an object whose record has another content than the row is not sealed: readers would refuse all of it")
    func changed() throws {
        let device = try CircleDevice("laptop", MemoryHost())
        try device.found()
        #expect(device.add("bob", "secret") == .success)
        let engine = try #require(try SyncEngine(device.parts { false }))
        let environment = engine.environment
        let (name, item) = try #require(engine.state.items.first { _ in true })
        let content = try #require(environment.content(of: name))
        let draft = SegmentDraft(
            dot: Dot(StreamIdentifier(engine.device, content.zone), 99),
            epoch: try #require(engine.membership.view.writingEpoch), previous: nil, knows: VersionVector(),
            records: [SyncRecord(name: name, version: item.version, base: item.base, state: .live(content))])
        #expect(environment.seal(draft) != nil)
        #expect(device.delete("bob") == .success && device.add("bob", "another") == .success)
        #expect(environment.seal(draft) != nil, "what was looked at in this event: the change is published next")
        environment.endEvent()
        #expect(environment.content(of: name)?.digest != content.digest)
        #expect(environment.seal(draft) == nil)
    }

    @Test(
        "rows that are too large to be kept are opened again, and one that changed meanwhile is known by its new content"
    )
    func opensAgain() throws {
        let device = try CircleDevice("laptop", MemoryHost())
        try device.found()
        let accounts = (0..<10).map { "user\($0)" }
        let large = String(repeating: "x", count: 150 << 10)
        for account in accounts { #expect(device.add(account, large) == .success) }
        let engine = try #require(try SyncEngine(device.parts { false }))
        let environment = engine.environment
        let names = engine.state.items.map { $0.0 }
        try #require(names.count == accounts.count)
        environment.expect(names[...])
        let contents = try names.map { try #require(environment.content(of: $0)) }
        for account in accounts {
            #expect(device.delete(account) == .success && device.add(account, "other") == .success)
        }
        for (name, content) in zip(names, contents) {
            #expect(environment.content(of: name) == content, "as it was looked at")
            let draft = SegmentDraft(
                dot: Dot(StreamIdentifier(engine.device, content.zone), 99),
                epoch: try #require(engine.membership.view.writingEpoch), previous: nil, knows: VersionVector(),
                records: [
                    SyncRecord(
                        name: name, version: try #require(engine.state.items[name]?.version), base: nil,
                        state: .live(content))
                ])
            #expect(environment.seal(draft) == nil)
            #expect(environment.content(of: name)?.digest != content.digest)
        }
    }
}
