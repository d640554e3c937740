import Foundation
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyDevice

@Suite("A device in a child of fork") struct ForkTests {
    /// An embedded device in a directory that goes with the process.
    private static func device(_ path: String) throws -> EmbeddedDevice {
        try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
    }

    private static func newPath() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "fork-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return path
    }

    private static func keychain(_ device: EmbeddedDevice) -> any Keychain {
        device.keychain(for: Caller(name: "test", accessGroups: ["group"]))
    }

    private static func add(_ account: String, _ keychain: any Keychain) -> ResultCode {
        keychain.perform(
            ItemRequest(
                operation: .add,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("acct", .string(account)),
                    QueryPair("v_Data", .secret(0)),
                ], wantsResult: false, secrets: [SecretBox(copying: Array(account.utf8))])
        ).code
    }

    private static func find(_ account: String, _ keychain: any Keychain) -> ItemReply {
        keychain.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("acct", .string(account)),
                    QueryPair("r_Data", .boolean(true)),
                ], wantsResult: true))
    }

    @Test("the child has it anew: locked with a passcode, with all items, and what it adds the parent finds")
    func anewInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let path = try Self.newPath()
            let device = try Self.device(path)
            let keychain = Self.keychain(device)
            let passcode = SecretBox(copying: Array("1234".utf8)).keptOnFork()
            try keychain.ask(SetPasscode(passcode))
            for number in 0..<5 { guard Self.add("parent \(number)", keychain) == .success else { exit(1) } }
            let ending = Forking.child {
                try Forking.require(Self.find("parent 0", keychain).code == .interactionNotAllowed)
                try Forking.require(Self.add("locked", keychain) == .interactionNotAllowed)
                try keychain.ask(UnlockDevice(passcode))
                for number in 0..<5 { try Forking.require(Self.find("parent \(number)", keychain).code == .success) }
                try Forking.require(Self.add("child", keychain) == .success)
                try keychain.ask(LockDevice(immediately: true))
                try Forking.require(Self.find("child", keychain).code == .interactionNotAllowed)
                device.close()
            }
            guard ending == .success else { exit(2) }
            // The parent's device stayed unlocked.
            let names = (0..<5).map { "parent \($0)" } + ["child"]
            guard names.allSatisfy({ Self.find($0, keychain).code == .success }) else { exit(3) }
            guard Self.add("after", keychain) == .success else { exit(4) }
            device.close()
            try FileManager.default.removeItem(atPath: path)
            exit(0)
        }
    }

    @Test("a context of the parent refuses with the rule in the child, and its end there ends nothing for the parent")
    func contextsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let path = try Self.newPath()
            let device = try Self.device(path)
            var session: (any AuthenticationSession)? = Self.keychain(device).openSession()
            _ = try session?.ask(DescribeBiometry())
            let ending = Forking.child {
                let request = ItemRequest(
                    operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: false)
                let reply = session?.perform(request)
                try Forking.require(reply?.code == .authFailed && reply?.refusal?.rule == .processForked)
                do throws(AuthenticationRefusal) {
                    _ = try session?.ask(DescribeBiometry())
                    exit(9)
                } catch {
                    try Forking.require(error.error == .invalidContext && error.refusal.rule == .processForked)
                }
                session?.end()
                session = nil
                // A context of the child's own device works.
                _ = try Self.keychain(device).openSession().ask(DescribeBiometry())
            }
            guard ending == .success, (try? session?.ask(DescribeBiometry())) != nil else { exit(1) }
            session?.end()
            device.close()
            try FileManager.default.removeItem(atPath: path)
            exit(0)
        }
    }

    @Test("the lock of the directory is the parent's to give up, and a child that goes on has one of its own")
    func locksInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let directory = DeviceDirectory(path: try Self.newPath())
            try directory.prepare()
            var lock: DeviceLock? = try DeviceLock(directory, for: .embedded)
            let (ends, isReady) = (ForkSignal(), ForkSignal())
            let idle = Forking.start {
                isReady.give()
                ends.wait()
            }
            isReady.wait()
            let child = Forking.child {
                // Its end takes nothing from the parent.
                lock?.closeInChild()
                let own = try DeviceLock(directory, for: .embedded)
                lock = nil
                try Forking.require(DeviceLock.isHeld(directory))
                withExtendedLifetime(own) {}
            }
            guard child == .success, DeviceLock.isHeld(directory) else { exit(1) }
            // The child that does nothing has the file open.
            lock = nil
            guard !DeviceLock.isHeld(directory) else { exit(2) }
            ends.give()
            guard Forking.ending(of: idle) == .success else { exit(3) }
            try FileManager.default.removeItem(atPath: directory.path)
            exit(0)
        }
    }

    @Test("a child calls a daemon over connections of its own, and its parent's contexts stay open")
    func daemonInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let directory = try SocketDirectory()
            let path = directory.path + "/k.sock"
            let daemon = try RemoteKeychainTests.Daemon(path: path)
            let keychain = RemoteKeychain(socketPath: path)
            var session: (any AuthenticationSession)? = keychain.openSession()
            _ = try? session?.ask(DescribeBiometry())
            let search = ItemRequest(operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: false)
            // An add is not repeated: the first call of the child must not meet the parent's connection.
            let addition = ItemRequest(
                operation: .add, query: [QueryPair("class", .string("genp"))], wantsResult: false)
            guard keychain.perform(search).code == .success else { exit(1) }
            let count = daemon.server.connectionCount
            let ending = Forking.child {
                try Forking.require(keychain.perform(addition).code == .success)
                let reply = session?.perform(search)
                try Forking.require(reply?.code == .authFailed && reply?.refusal?.rule == .processForked)
                session?.end()
                session = nil
            }
            guard ending == .success else { exit(2) }
            eventually { daemon.server.connectionCount == count }
            // Over the connections that it had.
            guard session?.perform(search).code == .success, daemon.server.connectionCount == count else { exit(3) }
            exit(0)
        }
    }
}
