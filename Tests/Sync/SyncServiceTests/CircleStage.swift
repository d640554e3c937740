import Foundation
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncKeys
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

/// Stores in memory, one for each circle, that all devices of a test reach.
final class MemoryHost: StoreHost, CircleStores {
    private let contents = Mutex<[CircleIdentifier: MemoryStore.Content]>([:])
    private let failing = Mutex<StoreFailure?>(nil)
    private let asked = Mutex<[StoreObjectName]>([])

    /// The names that were read since this was asked last.
    func takeReadNames() -> [StoreObjectName] {
        asked.withLock { names in
            defer { names.removeAll() }
            return names
        }
    }

    private let calls = Mutex<[String]>([])

    /// The calls since this was asked last, as "list", "read", "create", "publish" and "remove".
    func takeCalls() -> [String] {
        calls.withLock { calls in
            defer { calls.removeAll() }
            return calls
        }
    }

    fileprivate func note(_ call: String) { calls.withLock { $0.append(call) } }

    /// Called once, while the next listing is made.
    let onNextList = Mutex<(@Sendable () -> Void)?>(nil)

    /// Thrown by the next call that publishes, which does nothing then.
    let publishing = Mutex<StoreFailure?>(nil)

    fileprivate func note(read names: [StoreObjectName]) { asked.withLock { $0 += names } }

    var failure: StoreFailure? {
        get { failing.withLock { $0 } }
        set { failing.withLock { $0 = newValue } }
    }

    /// The objects of all circles.
    var objects: [StoreObjectName: [UInt8]] {
        contents.withLock { $0.values.reduce(into: [:]) { all, content in all.merge(content.objects) { $1 } } }
    }

    func removeAll() {
        contents.withLock { contents in
            for content in contents.values { content.objects = [:] }
        }
    }

    func remove(_ name: StoreObjectName) {
        contents.withLock { contents in
            for content in contents.values { content.objects[name] = nil }
        }
    }

    func put(_ bytes: [UInt8], at name: StoreObjectName) {
        contents.withLock { contents in
            for content in contents.values { content.objects[name] = bytes }
        }
    }

    /// The stores at other places than the usual one.
    let elsewhere = Mutex<[StoreAddress: MemoryHost]>([:])

    func circles(at store: StoreAddress) throws(StoreHostFailure) -> any CircleStores {
        elsewhere.withLock { $0[store] } ?? self
    }
    func release() {}

    func circles() throws(StoreFailure) -> [CircleIdentifier] {
        if let failure { throw failure }
        return contents.withLock { $0.filter { !$0.value.objects.isEmpty }.keys.sorted() }
    }

    func store(of circle: CircleIdentifier, writer: DeviceIdentifier) -> any SyncStore {
        let content = contents.withLock { contents in
            let content = contents[circle] ?? MemoryStore.Content()
            contents[circle] = content
            return content
        }
        return FailingStore(host: self, store: MemoryStore(content, writer: writer))
    }
}

/// A store in memory that fails while its host says so.
private struct FailingStore: SyncStore {
    let host: MemoryHost
    let store: MemoryStore

    private func check(_ call: String) throws(StoreFailure) {
        host.note(call)
        if let failure = host.failure { throw failure }
    }

    func list(_ prefix: ObjectPrefix) throws(StoreFailure) -> StoreListing {
        try check("list")
        let handler = host.onNextList.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?()
        return try store.list(prefix)
    }

    func read(_ names: [StoreObjectName]) throws(StoreFailure) -> StoreReading {
        try check("read")
        host.note(read: names)
        return try store.read(names)
    }

    func create(_ objects: [StoreObjectName: [UInt8]]) throws(StoreFailure) {
        try check("create")
        try store.create(objects)
    }

    func publish(
        _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) throws(StoreFailure) -> HeadMark {
        try check("publish")
        let failure = host.publishing.withLock { failure in
            defer { failure = nil }
            return failure
        }
        if let failure { throw failure }
        return try store.publish(objects, head: head, replacing: replaced)
    }

    func remove(_ names: [StoreObjectName]) throws(StoreFailure) {
        try check("remove")
        try store.remove(names)
    }

    func waitForHint(until end: Cancellation) throws(StoreFailure) -> StoreHint {
        try check("wait")
        return try store.waitForHint(until: end)
    }
}

/// A device with the real keychain, database and enclave code, in a directory of its own, and its circle.
final class CircleDevice: Sendable {
    static let passcode = "1234"
    static let address = StoreAddress(folder: "/srv/sync")!
    static let owner = Caller(name: "latchkey", accessGroups: ["group.mail"])

    let name: String
    let clock: HandClock
    let enclave: EnclaveService
    let service: KeychainService
    let circle: CircleService
    private let directory: TemporaryDirectory
    private let host: MemoryHost

    /// - Parameter hasPasscode: false for a device that was just started.
    init(_ name: String, _ host: MemoryHost, clock: HandClock = HandClock(), hasPasscode: Bool = true) throws {
        directory = try TemporaryDirectory()
        self.name = name
        self.clock = clock
        self.host = host
        try FileManager.default.createDirectory(
            atPath: directory.path("keychain"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        enclave = try EnclaveService(
            storage: try FileEnclaveStorage(directory: directory.path("enclave")), clock: clock,
            entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4), sensor: NoSensor())
        service = try KeychainService(
            directory: directory.path, enclave: enclave, clock: clock, entropy: SystemEntropy(), kind: "embedded",
            ownersToolPath: nil, isFileGone: { _ in false }, unprovenOwner: .anyProgram)
        circle = CircleService(
            CircleParts(
                items: service.shared, enclave: enclave, host: host, clock: clock, entropy: SystemEntropy(),
                system: "Test"))
        service.circle.put(circle)
        if hasPasscode { try ask(SetPasscode(Self.secret(Self.passcode))) }
    }

    var databasePath: String { directory.path("keychain/keychain.db") }

    deinit {
        circle.stop()
        service.close()
    }

    /// The parts of an engine of this device.
    func parts(isAwaited: @escaping @Sendable () -> Bool) throws -> SyncParts {
        SyncParts(
            items: service.shared, enclave: enclave, stores: host, clock: clock, entropy: SystemEntropy(),
            description: try #require(DeviceDescription(name: name, system: "Test")), isAwaited: isAwaited)
    }

    static func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    /// The digits of an identifier, as messages show it.
    static func digits(of identifier: [UInt8]) -> String {
        identifier.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private var passcode: SecretBox { Self.secret(Self.passcode) }

    @discardableResult
    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try service.ask(question, caller: Self.owner)
    }

    func ask(_ question: some ForwardedQuestion) throws {
        _ = try service.ask(question, caller: Self.owner)
        circle.keysChanged()
    }

    /// The code of the refusal of a question; nil if it is answered.
    func refusal<Question: DeviceQuestion>(of question: Question) -> Rule? { fullRefusal(of: question)?.rule }

    /// The refusal of a question, with its words; nil if it is answered.
    func fullRefusal<Question: DeviceQuestion>(of question: Question) -> Refusal? {
        do throws(DeviceRefusal) {
            _ = try ask(question)
            return nil
        } catch {
            guard case .declined(_, let refusal) = error else { return nil }
            return refusal
        }
    }

    // MARK: The circle

    @discardableResult
    func found() throws -> SecretBox {
        try ask(CreateCircle(store: Self.address, deviceName: name, passcode: passcode)).code
    }

    func join(_ code: SecretBox) throws {
        try ask(JoinCircle(store: Self.address, deviceName: name, code: code, passcode: passcode))
    }

    /// Invites another device, which answers, and approves it.
    func admit(_ other: CircleDevice) throws {
        try other.join(try ask(InviteDevice(passcode: passcode)).code)
        try approve()
    }

    /// Approves the device that has answered the invitation.
    func approve() throws {
        for device in try ask(ListJoinRequests()) { try ask(ApproveDevice(device.identifier, passcode: passcode)) }
    }

    func report() throws -> CircleReport { try ask(DescribeCircle()) }
    func exchange() throws { try ask(ExchangeNow()) }

    // MARK: Items

    private static func query(_ account: String) -> [String: PropertyValue] {
        ["class": .string("genp"), "svce": .string("s"), "acct": .string(account), "sync": .boolean(true)]
    }

    @discardableResult
    func add(_ account: String, _ text: String, _ more: [String: PropertyValue] = [:]) -> ResultCode {
        let query = Self.query(account).merging(["v_Data": .secret(0)]) { $1 }.merging(more) { $1 }
        return service.perform(
            ItemRequest(
                operation: .add, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: false,
                secrets: [Self.secret(text)]), caller: Self.owner
        ).code
    }

    func delete(_ account: String) -> ResultCode {
        service.perform(
            ItemRequest(
                operation: .delete, query: Self.query(account).map { QueryPair($0.key, $0.value) }, wantsResult: false),
            caller: Self.owner
        ).code
    }

    func secret(of account: String) -> String? {
        let query = Self.query(account).merging(["r_Data": .boolean(true)]) { $1 }
        let reply = service.perform(
            ItemRequest(operation: .find, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: true),
            caller: Self.owner)
        return reply.secrets.first.map { secret in secret.withBytes { String(decoding: Array($0), as: UTF8.self) } }
    }
}
