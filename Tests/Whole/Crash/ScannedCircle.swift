import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncKeys
import LatchkeySyncStore
import Testing

/// Two devices in one circle, with items of both zones that were written on each.
final class ScannedCircle {
    static let passcode = "a passcode of this test alone: \(UInt64.random(in: 0 ... .max))"

    let devices: [ScannedDevice]
    private(set) var codes: [Needle] = []
    private(set) var accounts: [String] = []
    private var secrets: [String: [Needle]] = [:]
    private let ring: ZoneKeyring
    private let store: String

    init() throws {
        store = try temporaryDirectory()
        let address = try #require(StoreAddress(folder: store))
        devices = try [ScannedDevice("laptop"), ScannedDevice("desktop")]
        let passcode = secret(Self.passcode)
        let (first, second) = (devices[0].client, devices[1].client)
        let recovery = try first.ask(CreateCircle(store: address, deviceName: "laptop", passcode: passcode)).code
        let invitation = try first.ask(InviteDevice(passcode: passcode)).code
        try second.ask(JoinCircle(store: address, deviceName: "desktop", code: invitation, passcode: passcode))
        var waiting: [WaitingDevice] = []
        while waiting.isEmpty { waiting = try first.ask(ListJoinRequests()) }
        try first.ask(ApproveDevice(waiting[0].identifier, passcode: passcode))
        try devices[1].settle()
        ring = try Self.ring(in: store, recovery)
        for (name, code) in [("recovery", recovery), ("invitation", invitation)] {
            let text = code.withBytes { Array($0) }
            codes.append(Needle("the \(name) code", text))
            codes.append(Needle("the \(name) code without hyphens", text.filter { $0 != UInt8(ascii: "-") }))
        }
        codes.append(Needle("the passcode", Array(Self.passcode.utf8)))
        for (device, other) in [(devices[0], devices[1]), (devices[1], devices[0])] {
            for protection in ["ak", "ck"] {
                for count in [32, 3_000, 100_000] {
                    try add("\(device.name) \(protection) \(count)", of: protection, on: device, count: count)
                }
            }
            for account in accounts { try other.receive(account) }
        }
        try devices[0].settle()
        try devices[1].settle()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: store)
    }

    @discardableResult
    func add(_ account: String, of protection: String, on device: ScannedDevice, count: Int = 64) throws -> Needle {
        // The account is as unlikely elsewhere as the secret.
        let name = "\(account) \(UInt64.random(in: 0 ... .max))"
        let content = (0..<count).map { _ in UInt8.random(in: 0 ... .max) }
        try device.add(account, named: name, content, protection)
        let needle = Needle("the secret of \(account)", Array(content.prefix(32)))
        secrets[protection, default: []] += [needle, Needle("the label of \(account)", Array(name.utf8))]
        accounts.append(account)
        return needle
    }

    func items(of protections: [String]) throws -> [Needle] { protections.flatMap { secrets[$0] ?? [] } }

    var keys: (ofZoneA: [Needle], ofZoneC: [Needle]) {
        get throws {
            var (a, c): ([Needle], [Needle]) = ([], [])
            for epoch in ring.epochs(.a) {
                guard let key = ring.key(of: epoch, .a) else { continue }
                a.append(Needle("K_A", key.secret))
                a.append(
                    Needle("the digest key of zone A", CircleKeys.contentDigestKey(key, of: ring.circle)))
            }
            for epoch in ring.epochs(.c) {
                if let key = ring.key(of: epoch, .c) { c.append(Needle("K_C", key.secret)) }
            }
            let secret = try #require(ring.circleSecret)
            let derived = try #require(ring.circleKeys)
            c += [
                Needle("the circle secret", secret.secret), Needle("the key of names", derived.nameKey),
                Needle("the digest key of zone C", derived.contentDigestKey),
            ]
            try #require(!a.isEmpty && c.count > 3)
            return (a, c)
        }
    }

    /// The keys of the circle, which its recovery code opens in the statements of the store.
    private static func ring(in store: String, _ code: SecretBox) throws -> ZoneKeyring {
        let circles = FolderCircles(in: store)
        let circle = try #require(try circles.circles().first)
        let nobody = try #require(DeviceIdentifier([UInt8](repeating: 0, count: DeviceIdentifier.byteCount)))
        let objects = circles.store(of: circle, writer: nobody)
        let bytes = try objects.readAll(try objects.list(.statements).names).objects.values
        let statements = try bytes.map { try SignedStatement(parsing: $0) }
        let founding = try #require(statements.first { $0.hash.bytes.starts(with: circle.bytes) })
        var graph = try StatementGraph(founding: founding, verifier: P256StatementVerifier())
        _ = graph.insert(all: statements, verifier: P256StatementVerifier())
        var ring = ZoneKeyring(of: circle)
        _ = ring.learn(from: graph, as: KeyringReceiver(RecoveryKeys(try RecoveryCode(reading: code))))
        return ring
    }
}

/// A device of the circle, with its daemon, its enclave and its transport.
final class ScannedDevice {
    private static let group = "group.crash"

    let name: String
    let processes: DeviceProcesses
    let client: any Keychain

    init(_ name: String) throws {
        self.name = name
        processes = try DeviceProcesses()
        try processes.start()
        client = processes.client(Caller(name: "crash-test", accessGroups: [Self.group]))
        guard client.refusal(of: SetPasscode(secret(ScannedCircle.passcode))) == nil else {
            throw Failed("no passcode")
        }
    }

    /// The process that talks to the store.
    var transport: pid_t? {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return numbers.first { number in
            guard let words = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
            let arguments = words.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return arguments.first?.hasSuffix("/latchkey-transport") == true
                && arguments.contains(processes.directory.transportSocket)
        }
    }

    func report() throws -> CircleReport { try client.ask(DescribeCircle()) }

    /// Waits until something has happened, for a second at most.
    func progress() throws -> SyncProgress {
        try client.ask(AwaitSync(after: client.ask(AwaitSync(after: nil)).number, seconds: 1))
    }

    func settle() throws {
        while true {
            let (state, report) = (try client.ask(AwaitSync(after: nil)), try report())
            if state.isSettled, report.membership == .member, !report.isJoining, report.waitingChanges == 0 { return }
            _ = try progress()
        }
    }

    func add(_ account: String, named label: String, _ content: [UInt8], _ protection: String) throws {
        let query = [
            QueryPair("class", .string("genp")), QueryPair("svce", .string("scan")),
            QueryPair("acct", .string(account)),
            QueryPair("labl", .string(label)), QueryPair("pdmn", .string(protection)),
            QueryPair("sync", .boolean(true)),
            QueryPair("agrp", .string(Self.group)), QueryPair("v_Data", .secret(0)),
        ]
        let request = ItemRequest(
            operation: .add, query: query, wantsResult: false, secrets: [SecretBox(copying: content)])
        let code = client.perform(request).code
        guard code == .success else { throw Failed("add \(account): \(code)") }
    }

    func content(of account: String) throws -> SecretBox? {
        let query = [
            QueryPair("class", .string("genp")), QueryPair("acct", .string(account)), QueryPair("sync", .boolean(true)),
            QueryPair("r_Data", .boolean(true)), QueryPair("r_Attributes", .boolean(true)),
        ]
        let reply = client.perform(ItemRequest(operation: .find, query: query, wantsResult: true))
        if reply.code == .itemNotFound { return nil }
        guard reply.code == .success else { throw Failed("find \(account): \(reply.code)") }
        return reply.secrets.first
    }

    /// Waits for an item of the other device.
    func receive(_ account: String) throws {
        while try content(of: account) == nil { _ = try progress() }
    }
}
