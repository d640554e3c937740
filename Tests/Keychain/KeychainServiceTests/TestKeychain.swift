import Foundation
import GRDB
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport

/// A keychain with its enclave in a directory that is gone after the test.
final class TestKeychain: Sendable {
    let directory: String
    let clock: HandClock
    let enclave: EnclaveService
    /// The enclave as the service has it.
    let mailbox: CountingMailbox
    let service: KeychainService
    private let ownsDirectory: Bool

    /// Opens a new directory, or one that another test keychain has closed.
    init(
        _ directory: String? = nil, clock: HandClock = HandClock(), sensor: any BiometricSensor = NoSensor(),
        kind: String = "embedded", ownersToolPath: String? = nil,
        isFileGone: @escaping @Sendable (String) -> Bool = { _ in false },
        unprovenOwner: UnprovenOwner = .anyProgram, entropy: any Entropy = SystemEntropy()
    ) throws {
        ownsDirectory = directory == nil
        let path = try directory ?? temporaryDirectory()
        self.directory = path
        self.clock = clock
        if !FileManager.default.fileExists(atPath: path + "/keychain") {
            try FileManager.default.createDirectory(
                atPath: path + "/keychain", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        let storage = try FileEnclaveStorage(directory: path + "/enclave")
        enclave = try EnclaveService(
            storage: storage, clock: clock, entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4),
            sensor: sensor)
        mailbox = CountingMailbox(enclave)
        service = try KeychainService(
            directory: path, enclave: mailbox, clock: clock, entropy: entropy, kind: kind,
            ownersToolPath: ownersToolPath, isFileGone: isFileGone, unprovenOwner: unprovenOwner)
    }

    static let caller = Caller(name: "app", accessGroups: ["g", "h"])

    var databasePath: String { directory + "/keychain/keychain.db" }

    /// Runs a call with text attributes; `secret` becomes `v_Data`.
    func perform(
        _ operation: ItemOperation, _ attributes: [String: PropertyValue] = [:], secret: String? = nil,
        changes: [String: PropertyValue] = [:], caller: Caller = TestKeychain.caller
    ) -> ItemReply {
        var query = attributes
        if query["class"] == nil { query["class"] = .string("genp") }
        let secrets = secret.map { [SecretBox(copying: Array($0.utf8))] } ?? []
        var changes = changes
        if !secrets.isEmpty {
            if operation == .update { changes["v_Data"] = .secret(0) } else { query["v_Data"] = .secret(0) }
        }
        return service.perform(
            ItemRequest(
                operation: operation, query: query.map { QueryPair($0.key, $0.value) },
                changes: changes.map { QueryPair($0.key, $0.value) }, wantsResult: true, secrets: secrets),
            caller: caller)
    }

    @discardableResult
    func add(_ account: String, _ secret: String, _ more: [String: PropertyValue] = [:]) -> LatchkeyItemModel.ResultCode
    {
        perform(.add, ["acct": .string(account), "svce": .string("s")].merging(more) { $1 }, secret: secret).code
    }

    /// The secret of an account, or the code why there is none.
    func secret(of account: String, _ more: [String: PropertyValue] = [:]) -> Result<
        String, LatchkeyItemModel.ResultCode
    > {
        let query: [String: PropertyValue] = [
            "acct": .string(account), "r_Data": .boolean(true), "sync": .string("syna"),
        ]
        let reply = perform(.find, query.merging(more) { $1 })
        guard reply.code == .success, let secret = reply.secrets.first else { return .failure(reply.code) }
        return .success(secret.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    var status: DeviceStatus? {
        try? service.ask(DescribeDevice(), caller: Self.caller)
    }

    /// Items that ended on purpose, by reason.
    var ended: [EndReason: Int64] {
        (status?.endedItems ?? []).reduce(into: [:]) { $0[$1.reason] = $1.count }
    }

    /// The newest refusals first.
    func refusals(_ limit: Int = 100) -> [RefusalRecord] {
        (try? service.ask(ListRefusals(limit: limit), caller: Self.caller)) ?? []
    }

    /// Changes the database behind the keychain's back.
    @discardableResult
    func raw<T>(_ body: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: databasePath)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }

    deinit {
        service.close()
        if ownsDirectory { try? FileManager.default.removeItem(atPath: directory) }
    }
}

func temporaryDirectory() throws -> String {
    var name = Array("/tmp/latchkey-service-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw POSIXError(.EIO) }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A directory that several keychains open one after the other.
final class SharedDirectory: Sendable {
    let path: String

    init() throws {
        path = try temporaryDirectory()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
