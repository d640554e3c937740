import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeySecretMemory

/// A device with a passcode that can be in a circle. The items of this program are shared there.
final class SyncedDevice {
    private static let passcodeText = "2468"

    let device: RunningDevice
    let client: Worker
    private let keychain: RemoteKeychain
    private let name: String

    private var passcode: SecretBox { SecretBox(copying: Array(Self.passcodeText.utf8)) }

    init(_ name: String, _ session: Session) throws {
        self.name = name
        device = try RunningDevice(
            session.scratch + "/device-\(name)-\(UUID().uuidString.prefix(8))",
            processor: session.options.pinning.servers)
        try device.waitUntilReady()
        keychain = RemoteKeychain(socketPath: device.directory.keychainSocket)
        client = try session.client(of: device)
        try keychain.ask(SetPasscode(passcode))
    }

    func stop() {
        client.stop()
        try? device.stop()
    }

    // MARK: The circle

    func found(in store: StoreAddress) throws {
        _ = try keychain.ask(CreateCircle(store: store, deviceName: name, passcode: passcode))
        let group = try PeerIdentity.ofThisProcess().privateAccessGroup
        _ = try keychain.ask(ShareGroup(group, isShared: true, passcode: passcode))
    }

    /// Returns when the device has everything that the other one has.
    func join(_ other: SyncedDevice, in store: StoreAddress) throws {
        let code = try other.keychain.ask(InviteDevice(passcode: passcode)).code
        _ = try keychain.ask(JoinCircle(store: store, deviceName: name, code: code, passcode: passcode))
        var waiting: [WaitingDevice] = []
        while waiting.isEmpty { waiting = try other.keychain.ask(ListJoinRequests()) }
        for device in waiting { _ = try other.keychain.ask(ApproveDevice(device.identifier, passcode: passcode)) }
        try awaitItems(try other.itemCount())
    }

    func pause(_ pauses: Bool) throws { _ = try keychain.ask(PauseSync(pauses, passcode: passcode)) }

    func itemCount() throws -> Int64 { try keychain.ask(DescribeCircle()).sharedItems }

    /// Returns when as many items are shared here, and no change waits.
    func awaitItems(_ count: Int64) throws {
        var known: Int64?
        while true {
            let progress = try keychain.ask(AwaitSync(after: known))
            known = progress.number
            guard progress.isSettled, try itemCount() >= count else { continue }
            return
        }
    }

    // MARK: Its processes

    /// The process numbers of the daemon, the enclave and the transport.
    func processes() throws -> [Int32] {
        let daemon = try device.daemonID
        return [daemon, try device.enclaveID] + Self.transports(of: daemon)
    }

    /// Any thread of the daemon may have started the transport, and each thread has children of its own.
    private static func transports(of daemon: Int32) -> [Int32] {
        let children = threads(of: daemon).flatMap { task in
            let text = try? String(contentsOfFile: "/proc/\(daemon)/task/\(task)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ")
        }
        return children.compactMap { Int32($0) }.filter { child in
            let name = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
            return name?.hasPrefix("latchkey-transp") ?? false
        }
    }

    /// The number of times at which threads of daemon and transport went to sleep since they started.
    func sleeps() throws -> Int {
        let enclave = try device.enclaveID
        return try processes().filter { $0 != enclave }.reduce(0) { $0 + Self.sleeps(of: $1) }
    }

    private static func sleeps(of process: Int32) -> Int {
        threads(of: process).reduce(0) { sum, task in
            let status = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// The numbers of the threads of a process, as names of folders.
    private static func threads(of process: Int32) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    }

    func residentMebibytes() throws -> Double {
        try SharedMemory.mebibytes(of: processes())
    }
}
