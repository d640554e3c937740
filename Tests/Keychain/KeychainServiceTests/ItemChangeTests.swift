import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Changes of items, for the programs that may read them. The clock stands still unless a test moves it.
@Suite struct ItemChangeTests {
    private let keychain: TestKeychain
    private static let stranger = Caller(name: "stranger", accessGroups: ["k"])

    init() throws {
        keychain = try TestKeychain()
    }

    private func count(_ caller: Caller = TestKeychain.caller) throws -> ItemChangeCount {
        var pace = ItemChangePace()
        return try keychain.service.ask(
            AwaitItemChange(after: nil), caller: caller, pace: &pace, until: Cancellation())
    }

    private func watch(_ caller: Caller = TestKeychain.caller) -> any ItemWatch {
        let watch = keychain.service.watchItems(caller)
        watch.begin()
        return watch
    }

    private func advance(by seconds: Double) {
        keychain.clock.advance(by: seconds)
        keychain.service.keysChanged()
    }

    private func addByStranger(_ account: String) {
        let attributes: [String: PropertyValue] = ["acct": .string(account)]
        #expect(keychain.perform(.add, attributes, secret: "1", caller: Self.stranger).code == .success)
    }

    // MARK: Changes that count

    @Test("added, changed and deleted items count, also those of the program itself, and a search does not")
    func own() throws {
        var last = try count()
        func isChange(_ body: () -> LatchkeyItemModel.ResultCode) throws -> Bool {
            #expect(body() == .success)
            let now = try count()
            defer { last = now }
            return now != last
        }
        #expect(try isChange { keychain.add("a", "1") })
        #expect(try isChange { keychain.perform(.update, ["acct": .string("a")], secret: "2").code })
        #expect(try !isChange { keychain.perform(.find, ["acct": .string("a")]).code })
        #expect(try isChange { keychain.perform(.delete, ["acct": .string("a")]).code })
    }

    @Test("a group that the caller may not read changes nothing in its count, and its own group nothing in others")
    func foreign() throws {
        let (mine, theirs) = (try count(), try count(Self.stranger))
        for number in 0..<3 { addByStranger("a\(number)") }
        #expect(try count() == mine)
        #expect(try count(Self.stranger) != theirs)
        let later = try count(Self.stranger)
        keychain.add("a", "1")
        #expect(try count(Self.stranger) == later)
    }

    @Test("the count of a group does not show how much happened in others before")
    func fresh() throws {
        for number in 0..<3 { addByStranger("a\(number)") }
        #expect(try count(Caller(name: "late", accessGroups: ["l"])) == ItemChangeCount(0))
    }

    @Test("groups are the same only if their bytes are, and a group that is named twice counts once")
    func bytes() throws {
        let composed = Caller(name: "one", accessGroups: ["caf\u{E9}"])
        let decomposed = Caller(name: "two", accessGroups: ["cafe\u{301}"])
        #expect(keychain.perform(.add, ["acct": .string("a")], secret: "1", caller: composed).code == .success)
        #expect(try count(composed) == ItemChangeCount(1))
        #expect(try count(decomposed) == ItemChangeCount(0))
        #expect(try count(Caller(name: "three", accessGroups: ["caf\u{E9}", "caf\u{E9}"])) == ItemChangeCount(1))
    }

    @Test("the wildcard counts every group, network extensions share theirs, and a denied caller learns nothing")
    func rights() throws {
        let denied = Caller(name: "denied", accessGroups: ["g"], isDenied: true)
        let all = Caller(name: "all", accessGroups: ["*"])
        let extensions = Caller(name: "extension", accessGroups: ["g"], sharesNetworkExtensions: true)
        let shared = Caller(name: "shared", accessGroups: ["x.com.apple.networkextensionsharing"])
        keychain.add("a", "1")
        #expect(keychain.perform(.add, ["acct": .string("a")], secret: "1", caller: shared).code == .success)
        addByStranger("a")
        #expect(try count(denied) == ItemChangeCount(0))
        #expect(try count(all) == ItemChangeCount(3))
        #expect(try count(extensions) == ItemChangeCount(2))
    }

    @Test("items that end with the passcode have changed, and an erase is a change for everybody")
    func endings() throws {
        _ = try keychain.service.ask(SetPasscode(secret("1234")), caller: TestKeychain.caller)
        keychain.add("a", "1", ["pdmn": .string("akpu")])
        let (mine, theirs) = (try count(), try count(Self.stranger))
        _ = try keychain.service.ask(RemovePasscode(secret("1234")), caller: TestKeychain.caller)
        #expect(try count() != mine)
        #expect(try count(Self.stranger) == theirs)
        let before = try count()
        _ = try keychain.service.ask(EraseDevice(passcode: nil), caller: TestKeychain.caller)
        #expect(try count() != before)
        #expect(try count(Self.stranger) != theirs)
    }

    @Test("an app that is removed takes its items with it, and those who may read them hear of it")
    func removal() throws {
        keychain.add("a", "1")
        let before = try count()
        #expect(try keychain.service.deleteItems(inAccessGroups: ["g"]) == 1)
        #expect(try count() != before)
    }

    // MARK: When

    @Test("a change is told 250 ms after it at the earliest, and what comes meanwhile is the same event")
    func delay() throws {
        let watch = watch()
        let first = Pending { watch.next() }
        keychain.service.itemChanges.testOnlyWait(forWatches: 1)
        keychain.add("a", "1")
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: 1)
        advance(by: 0.125)
        keychain.add("b", "1")
        #expect(!first.isThere)
        advance(by: 0.125)
        #expect(first.value)
        // Nothing is left of it: the next event is that of a later change.
        let second = Pending { watch.next() }
        keychain.service.itemChanges.testOnlyWait(forWatches: 1)
        advance(by: 10)
        #expect(!second.isThere)
        keychain.add("c", "1")
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: 1)
        advance(by: 0.25)
        #expect(second.value)
    }

    @Test("events come once a second at most, and the last change is not lost")
    func rate() throws {
        let watch = watch()
        keychain.add("a", "1")
        let first = Pending { watch.next() }
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: 1)
        advance(by: 0.25)
        #expect(first.value)
        keychain.add("b", "1")
        let second = Pending { watch.next() }
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: 1)
        advance(by: 0.875)
        #expect(!second.isThere)
        advance(by: 0.125)
        #expect(second.value)
    }

    @Test("a watch hears of every change since it began, also of those before it waits")
    func missed() throws {
        let watch = watch()
        keychain.add("a", "1")
        let event = Pending { watch.next() }
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: 1)
        advance(by: 0.25)
        #expect(event.value)
    }

    // MARK: Ends

    @Test("a wait ends when it is cancelled, when the device is closed, and at the end of its time")
    func ends() throws {
        let watches = [watch(), watch()]
        let waits = watches.map { watch in Pending { watch.next() } }
        keychain.service.itemChanges.testOnlyWait(forWatches: 2)
        watches[0].end()
        #expect(!waits[0].value)
        let known = try count()
        var pace = ItemChangePace()
        let late = try keychain.service.ask(
            AwaitItemChange(after: known), caller: TestKeychain.caller, pace: &pace, until: Cancellation(seconds: 0))
        #expect(late == known)
        keychain.service.close()
        #expect(!waits[1].value)
        #expect(!watches[1].next())
        #expect(throws: ItemWatchEnded.deviceEnds) { try count() }
    }

    @Test("a process waits for items at most eight times at once")
    func limit() throws {
        let watches = (0..<ItemChangeDesk.watchLimitOfProcess).map { _ in watch() }
        let waits = watches.map { watch in Pending { watch.next() } }
        keychain.service.itemChanges.testOnlyWait(forWatches: watches.count)
        let known = try count()
        var pace = ItemChangePace()
        #expect(throws: ItemWatchEnded.tooMany) {
            try keychain.service.ask(
                AwaitItemChange(after: known), caller: TestKeychain.caller, pace: &pace, until: Cancellation())
        }
        let process = CallerProcess(processID: 7, userID: 0, executableDigest: nil)
        let other = watch(Caller(name: "other", accessGroups: ["g"], process: process))
        let event = Pending { other.next() }
        keychain.service.itemChanges.testOnlyWait(forWatches: watches.count + 1)
        keychain.add("a", "1")
        keychain.service.itemChanges.testOnlyWait(forChangesSeen: watches.count + 1)
        advance(by: 0.25)
        #expect(event.value)
        for wait in waits { #expect(wait.value) }
    }
}
