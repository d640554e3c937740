import Foundation
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// After lock nothing of the locked classes is in the memory of daemon or enclave.
@Suite(.serialized, .needsRoot(to: "read the memory of other processes", if: MemoryScan.isPossible))
struct MemoryScanTests {
    private static let passcode = "a passcode of this test alone: \(UInt64.random(in: 0 ... .max))"

    @Test("a scan after lock finds no class key, item key, metadata key, passcode or secret of the locked classes")
    func afterLock() throws {
        let device = try DeviceProcesses()
        try device.start()
        let client = device.client()
        guard (try? client.ask(SetPasscode(secret(Self.passcode)))) != nil else { throw Failed("no passcode") }
        var needles = [Needle("the passcode", Array(Self.passcode.utf8))]
        let locked = ["ak", "aku", "akpu"]
        for name in locked + ["ck", "dk"] {
            // Short and long: they travel in a packet and in a memory file.
            for count in [32, 3000, 100_000] {
                let content = SystemEntropy().bytes(count)
                let account = "\(name) \(count)"
                try #require(client.add(account, content, accessible: name) == .success)
                try #require(client.find(account) == .success(content))
                if locked.contains(name) {
                    needles.append(Needle("the secret of \(account)", Array(content.prefix(32))))
                }
            }
        }
        // Traces of searches, updates, a changed and a wrong passcode count too.
        _ = try client.everything()
        let updated = SystemEntropy().bytes(64)
        try #require(client.update("ak 32", updated) == .success)
        needles.append(Needle("an updated secret", Array(updated.prefix(32))))
        let wrong = Array("a wrong passcode: \(UInt64.random(in: 0 ... .max))".utf8)
        _ = try? client.ask(UnlockDevice(SecretBox(copying: wrong)))
        needles.append(Needle("a wrong passcode", wrong))
        guard (try? client.ask(UnlockDevice(secret(Self.passcode)))) != nil else { throw Failed("no unlock") }

        let keys = try DeviceKeys(device.directory, passcode: secret(Self.passcode))
        needles += try keys.needles(ofClasses: locked)
        let open = try keys.needles(ofClasses: ["dk"], withItemKeys: false)
        let daemon = try #require(device.daemonIdentifier)
        let enclave = try #require(device.enclaveIdentifier)
        // The scan sees what is there: class keys that stay, before and after; those that go, before.
        let before = try MemoryScan(of: enclave).found(needles + open)
        #expect(open.allSatisfy { before.contains($0.name) }, "the scan is blind: \(before)")
        #expect(before.contains("class key ak"), "the scan is blind: \(before)")
        #expect(try MemoryScan(of: daemon).found(needles).contains("metadata key ak"), "the scan is blind")

        guard (try? client.ask(LockDevice(immediately: true))) != nil else { throw Failed("no lock") }
        #expect(client.find("ak 32") == .failure(.interactionNotAllowed))
        #expect(try MemoryScan(of: enclave).found(open).count == open.count)
        #expect(try MemoryScan(of: enclave).found(needles) == [])
        #expect(try MemoryScan(of: daemon).found(needles) == [])
    }

    /// Texts of an item: of the length that Swift keeps in place, of the heap's small blocks, and of its large ones.
    private static let lengths = [13, 24, 200, 3000]

    @Test("a scan after lock finds no account, service, label or comment of an item of a locked class in the daemon")
    func attributesAfterLock() throws {
        let device = try DeviceProcesses()
        try device.start()
        let client = device.client()
        guard (try? client.ask(SetPasscode(secret(Self.passcode)))) != nil else { throw Failed("no passcode") }
        var needles: [Needle] = []
        func text(_ name: String, _ length: Int) -> String {
            let text = String((0..<length).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
            needles.append(Needle("\(name) of \(length)", Array(text.utf8)))
            return text
        }
        for length in Self.lengths {
            let names = ["acct", "svce", "labl", "icmt"].map { ($0, text($0, length)) }
            let query = names.map { QueryPair($0.0, .string($0.1)) }
            for operation in [ItemOperation.add, .find, .update, .find] {
                var request = ItemRequest(
                    operation: operation, query: [QueryPair("class", .string("genp"))] + query.prefix(2),
                    wantsResult: operation == .find)
                switch operation {
                case .add:
                    request.query += query.dropFirst(2) + [QueryPair("pdmn", .string("ak"))]
                case .update: request.changes = [QueryPair("labl", .string(text("a new label", length)))]
                default: request.query += [QueryPair("r_Attributes", .boolean(true))]
                }
                try #require(client.perform(request).code == .success)
            }
        }
        let everything = [
            QueryPair("class", .string("genp")), QueryPair("m_Limit", .string("m_LimitAll")),
            QueryPair("r_Attributes", .boolean(true)),
        ]
        try #require(
            client.perform(ItemRequest(operation: .find, query: everything, wantsResult: true)).code == .success)
        // Of an open class: the scan sees what is there.
        let daemon = try #require(device.daemonIdentifier)
        let group = Needle("a group", Array("the group that the scan must find".utf8))
        let caller = Caller(name: "scan", accessGroups: ["the group that the scan must find"])
        let open = RemoteKeychain(socketPath: device.directory.keychainSocket, declaredCaller: caller)
        _ = open.perform(ItemRequest(operation: .find, query: everything, wantsResult: true))
        guard (try? client.ask(LockDevice(immediately: true))) != nil else { throw Failed("no lock") }
        #expect(try MemoryScan(of: daemon).found([group]) == ["a group"], "the scan is blind")
        #expect(try MemoryScan(of: daemon).found(needles) == [])
        withExtendedLifetime(open) {}
    }
}

/// The keys of a device, computed from its files beside the running processes.
private struct DeviceKeys {
    private let classKeys: ClassKeys
    private let passcodeKey: SecretBox
    private let enclave: EnclaveService
    private let database: ItemDatabase

    init(_ directory: DeviceDirectory, passcode: SecretBox) throws {
        let storage = try FileEnclaveStorage(directory: directory.enclave)
        guard let bytes = try storage.keybag() else { throw Failed("no keybag") }
        let keybag = SystemKeybag(try Keybag(parsing: bytes), hardwareKey: storage.hardwareKey)
        classKeys = try keybag.open(with: passcode)
        guard let parameters = keybag.keybag.header.passcodeParameters else { throw Failed("no passcode") }
        passcodeKey = try parameters.key(for: passcode, on: storage.hardwareKey)
        enclave = try EnclaveService(
            storage: storage, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        _ = try enclave.ask(UnlockDevice(passcode))
        database = try ItemDatabase(path: directory.keychain + "/keychain.db", clock: { 0 })
    }

    /// Class keys, metadata keys and item keys of the classes, and the passcode key.
    func needles(ofClasses names: [String], withItemKeys: Bool = true) throws -> [Needle] {
        var needles = withItemKeys ? [Needle("the passcode key", passcodeKey)] : []
        for name in names {
            guard let keyClass = ProtectionClass(rawValue: name).flatMap({ KeyClass($0) }),
                let key = classKeys[keyClass]
            else {
                throw Failed(name)
            }
            needles.append(Needle("class key \(name)", key))
            guard withItemKeys, let protection = ProtectionClass(rawValue: name) else { continue }
            if let wrapped = try database.read({ try $0.metadataKey(ofClass: keyClass.rawValue) }) {
                needles.append(Needle("metadata key \(name)", try unwrap(wrapped, keyClass, .metadata, [])))
            }
            var filter = RowFilter(itemClass: .genericPassword)
            filter.keyClass = keyClass.rawValue
            let search = filter
            for row in try database.read({ try $0.rows(matching: search, limit: 100, withSecret: false) }) {
                let binding = AccessControl(protection: protection).serialised
                let key = try unwrap(row.wrappedItemKey ?? [], keyClass, .item, binding)
                needles.append(Needle("item key \(name) \(row.rowID)", key))
            }
        }
        return needles
    }

    private func unwrap(_ wrapped: [UInt8], _ keyClass: KeyClass, _ use: KeyUse, _ binding: [UInt8]) throws -> SecretBox
    {
        let question = WrappedKey(keyClass: keyClass, use: use, binding: binding, bytes: wrapped)
        guard case .key(let key)? = try enclave.ask(UnwrapKeys([question])).first else {
            throw Failed("a key of class \(keyClass) does not open")
        }
        return key
    }
}
