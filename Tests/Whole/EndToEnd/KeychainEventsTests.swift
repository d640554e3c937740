import Foundation
import KeychainEvents
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

@Suite("Changes of items as a sequence")
struct KeychainEventsTests {
    private static let group = "LATCHKEY00.shared"

    private static func item(_ account: String, group: String? = nil) -> CFDictionary {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]
        if let group { query[kSecAttrAccessGroup] = group }
        return query as CFDictionary
    }

    private static func app(_ name: String, on device: VirtualDevice) -> VirtualApp {
        device.install("com.example.\(name)", keychainAccessGroups: ["LATCHKEY00.com.example.\(name)", group])
    }

    /// The clock of a device without processes stands still until it is moved.
    private static func letTimePass(_ device: VirtualDevice, _ backend: VirtualDevice.Backend) throws {
        if backend == .embedded { try device.advance(by: .seconds(1)) }
    }

    @Test(
        "a program hears of what another one adds, changes and deletes in a group of both, and of its own changes",
        arguments: VirtualDevice.Backend.allCases)
    func changes(_ backend: VirtualDevice.Backend) async throws {
        let device = try VirtualDevice(backend: backend)
        let (mail, notes) = (Self.app("mail", on: device), Self.app("notes", on: device))
        var events = mail.run { KeychainChanges() }.makeAsyncIterator()
        for change in [
            { notes.run { SecItemAdd(Self.item("a", group: Self.group), nil) } },
            {
                notes.run {
                    SecItemUpdate(
                        Self.item("a", group: Self.group), [kSecAttrComment: "new"] as CFDictionary)
                }
            },
            { notes.run { SecItemDelete(Self.item("a", group: Self.group)) } },
            { mail.run { SecItemAdd(Self.item("own"), nil) } },
        ] {
            #expect(change() == errSecSuccess)
            try Self.letTimePass(device, backend)
            #expect(await events.next() != nil)
        }
    }

    @Test("changes in a group that the program may not read make no event")
    func foreign() async throws {
        let device = try VirtualDevice()
        let (mail, notes) = (Self.app("mail", on: device), Self.app("notes", on: device))
        var mails = mail.run { KeychainChanges() }.makeAsyncIterator()
        var events = notes.run { KeychainChanges() }.makeAsyncIterator()
        for number in 0..<3 {
            #expect(notes.run { SecItemAdd(Self.item("private \(number)"), nil) } == errSecSuccess)
            try device.advance(by: .seconds(1))
            #expect(await events.next() != nil)
        }
        // An event would be there before the end.
        device.close()
        #expect(await mails.next() == nil)
    }

    @Test("an item that came from another device is a change")
    func remote() async throws {
        let lab = try SyncLaboratory(devices: ["phone", "laptop"], seed: 7)
        let phone = lab["phone"].install("com.example.notes", team: "A1B2C3D4E5")
        let laptop = lab["laptop"].install("com.example.notes", team: "A1B2C3D4E5")
        var events = laptop.run { KeychainChanges() }.makeAsyncIterator()
        let item =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "a", kSecAttrSynchronizable: true,
            ] as CFDictionary
        #expect(phone.run { SecItemAdd(item, nil) } == errSecSuccess)
        try lab.settle()
        try lab["laptop"].advance(by: .seconds(1))
        #expect(await events.next() != nil)
        #expect(laptop.run { SecItemCopyMatching(item, nil) } == errSecSuccess)
    }

    @Test("a sequence outlives its daemon: it says that items may have changed, and goes on with the next one")
    func restart() async throws {
        let device = try VirtualDevice(backend: .processes)
        let app = Self.app("mail", on: device)
        var events = app.run { KeychainChanges() }.makeAsyncIterator()
        try device.stop()
        try device.start()
        #expect(await events.next() != nil)
        #expect(app.run { SecItemAdd(Self.item("a"), nil) } == errSecSuccess)
        #expect(await events.next() != nil)
    }

    @Test("a watch waits for its daemon, and outlives one that was killed; programs are told apart by their own groups")
    func daemons() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = RemoteKeychain(socketPath: device.directory + "/run/keychain.sock")
        #expect(try device("stop").status == 0)
        let watch = keychain.watchItems()
        // Nothing is known of the time until the daemon answers.
        watch.begin()
        #expect(try device("start").status == 0)
        #expect(watch.next())
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        #expect(watch.next())
        // Of this process, and not of the owner's tool, which has a group of its own.
        try device("unlock", input: "246810\n")
        #expect(try device("add-generic-password -s mail -a tool", input: "secret").status == 0)
        let before = Pending { watch.next() }
        let item = [QueryPair("class", .string("genp")), QueryPair("acct", .string("own"))]
        #expect(keychain.perform(ItemRequest(operation: .add, query: item, wantsResult: false)).code == .success)
        #expect(before.value)
        watch.end()
        #expect(!watch.next())
    }

    @Test("a sequence ends with its embedded device, and with its task")
    func ends() async throws {
        let device = try VirtualDevice()
        var events = device.run { KeychainChanges() }.makeAsyncIterator()
        let sequence = device.run { KeychainChanges() }
        let task = Task { for await _ in sequence { Issue.record("an event without a change") } }
        task.cancel()
        await task.value
        device.close()
        #expect(await events.next() == nil)
        for await _ in sequence { Issue.record("an event of a device that is gone") }
    }
}
