import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

/// Virtual devices of processes in one circle.
@Suite("Virtual devices of processes wait for changes of each other") struct RemoteChangeTests {
    private static let passcode = "246810"
    private static var secret: SecretBox { SecretBox(copying: Array(passcode.utf8)) }

    private let store: TemporaryDirectory
    private let first: VirtualDevice
    private let second: VirtualDevice

    init() throws {
        store = try TemporaryDirectory()
        (first, second) = (try VirtualDevice(backend: .processes), try VirtualDevice(backend: .processes))
        for device in [first, second] { try device.setPasscode(Self.passcode) }
        let address = try #require(StoreAddress(folder: store.path))
        let (member, joiner) = (Self.keychain(first), Self.keychain(second))
        _ = try member.ask(CreateCircle(store: address, deviceName: "first", passcode: Self.secret))
        let code = try member.ask(InviteDevice(passcode: Self.secret)).code
        _ = try joiner.ask(JoinCircle(store: address, deviceName: "second", code: code, passcode: Self.secret))
        var waiting: [WaitingDevice] = []
        while waiting.isEmpty { waiting = try member.ask(ListJoinRequests()) }
        _ = try member.ask(ApproveDevice(waiting[0].identifier, passcode: Self.secret))
        var known: Int64?
        while true {
            let report = try joiner.ask(DescribeCircle())
            if report.membership == .member, !report.isJoining { break }
            known = try joiner.ask(AwaitSync(after: known)).number
        }
    }

    private static func keychain(_ device: VirtualDevice) -> RemoteKeychain {
        RemoteKeychain(socketPath: DeviceDirectory(path: device.directory.path).keychainSocket)
    }

    private static func notes(_ device: VirtualDevice) -> VirtualApp {
        device.install("com.example.notes", team: "A1B2C3D4E5")
    }

    private static func item(_ account: String) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrSynchronizable: true,
        ] as CFDictionary
    }

    @Test("a change that came before the wait counts, one that was waited for does not count again") func changes()
        throws
    {
        for account in ["a", "b"] {
            #expect(Self.notes(first).run { SecItemAdd(Self.item(account), nil) } == errSecSuccess)
            while Self.notes(second).run({ SecItemCopyMatching(Self.item(account), nil) }) != errSecSuccess {
                try second.awaitRemoteChange()
            }
        }
        // The changes may have come while nothing waited; then they are noted here.
        while (try? second.awaitRemoteChange(within: .zero)) != nil {}
        let error = #expect(throws: VirtualDeviceError.self) { try second.awaitRemoteChange(within: .zero) }
        #expect(error?.code == .syncFailed)
        #expect(Self.notes(second).run { SecItemDelete(Self.item("a")) } == errSecSuccess)
        try first.awaitRemoteChange()
        #expect(Self.notes(first).run { SecItemCopyMatching(Self.item("a"), nil) } == errSecItemNotFound)
    }

    @Test("a daemon that was started again counts anew") func restart() throws {
        #expect(Self.notes(first).run { SecItemAdd(Self.item("a"), nil) } == errSecSuccess)
        try second.awaitRemoteChange()
        try second.reboot()
        try second.unlock(Self.passcode)
        #expect(Self.notes(first).run { SecItemAdd(Self.item("b"), nil) } == errSecSuccess)
        try second.awaitRemoteChange()
        #expect(Self.notes(second).run { SecItemCopyMatching(Self.item("b"), nil) } == errSecSuccess)
    }

    @Test("a device without a circle waits for nothing") func alone() throws {
        let error = #expect(throws: VirtualDeviceError.self) {
            try VirtualDevice(backend: .processes).awaitRemoteChange()
        }
        #expect(error?.code == .syncFailed)
    }
}
