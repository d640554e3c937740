import Foundation
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import SecurityTesting
import Testing

@Suite("Protected files in a child of fork") struct ForkTests {
    private static let content = FileFolder.bytes(50_000)

    private static func fill(_ file: OpenFile) throws {
        try Self.content.withUnsafeBytes { try file.write(at: 0, from: $0) }
        try file.synchronize()
    }

    private static func refusal(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch AccessFailure.refused(let refusal) {
            return refusal.refusal?.rule == .processForked
        } catch {
            return false
        }
    }

    @Test("an open file of the parent refuses with the rule, and the parent goes on with it") func openInOwnProcess()
        async
    {
        await #expect(processExitsWith: .success) {
            let folder = try FileFolder()
            let file = try folder.vault.emptied(folder.path("a"), permissions: 0o600, .complete)
            file.followDevice()
            try Self.fill(file)
            var byte: UInt8 = 0
            let ending = Forking.child {
                try Forking.require(
                    Self.refusal { _ = try withUnsafeMutableBytes(of: &byte) { try file.read(at: 0, into: $0) } })
                try Forking.require(Self.refusal { try Self.fill(file) })
                try Forking.require(Self.refusal { try file.truncate(to: 0) })
                try Forking.require(Self.refusal { try file.setProtection(.none) })
                try Forking.require(Self.refusal { _ = try file.size() })
                // Another opening meets the parent's lock, and not its object.
                do {
                    _ = try folder.vault.open(folder.path("a"), forWriting: false)
                    try Forking.require(false)
                } catch AccessFailure.inUse {}
            }
            guard ending == .success else { exit(1) }
            try Self.fill(file)
            exit(try folder.content("a") == Self.content ? 0 : 2)
        }
    }

    @Test("a file that the parent closes is free, though a child lives on that has it open")
    func lockInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let folder = try FileFolder()
            var file: OpenFile? = try folder.vault.emptied(folder.path("a"), permissions: 0o600, .complete)
            if let file { try Self.fill(file) }
            let (ends, isReady) = (ForkSignal(), ForkSignal())
            let child = Forking.start {
                isReady.give()
                ends.wait()
            }
            isReady.wait()
            file = nil
            let other = Forking.child {
                // Opened by a process that has nothing of the file.
                let again = try folder.vault.open(folder.path("a"), forWriting: true)
                try Forking.require(try again.size() == UInt64(Self.content.count))
            }
            ends.give()
            exit(other == .success && Forking.ending(of: child) == .success ? 0 : 1)
        }
    }

    @Test("files that the child makes open in the parent: it makes keys of its own") func newInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let folder = try FileFolder()
            // The vault has keys for files to come.
            _ = try folder.vault.newKey(.complete)
            folder.vault.prepareNewFile()
            let ending = Forking.child {
                for index in 0..<3 {
                    let descriptor = try OwnedDescriptor(opening: folder.path("\(index)"), O_RDWR | O_CREAT)
                    let file = try folder.vault.make(folder.vault.newKey(.complete), in: descriptor)
                    try Self.fill(file)
                }
            }
            guard ending == .success else { exit(1) }
            for index in 0..<3 { guard try folder.content("\(index)") == Self.content else { exit(2) } }
            exit(0)
        }
    }

    @Test("a file that the child opens closes at a lock, though the parent's watch was begun before the fork")
    func watchInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let folder = try FileFolder()
            try folder.device.setPasscode("1234")
            let file = try folder.vault.emptied(folder.path("a"), permissions: 0o600, .complete)
            file.followDevice()
            try Self.fill(try folder.vault.emptied(folder.path("b"), permissions: 0o600, .complete))
            let ending = Forking.child {
                // The child's device is another opening of it: locked, until the passcode is given.
                do {
                    _ = try folder.vault.open(folder.path("b"), forWriting: false)
                    try Forking.require(false)
                } catch AccessFailure.refused(let refusal) {
                    try Forking.require(refusal.code == .interactionNotAllowed)
                }
                try folder.device.unlock("1234")
                let own = try folder.vault.open(folder.path("b"), forWriting: false)
                own.followDevice()
                try Forking.require(try own.size() == UInt64(Self.content.count))
                try folder.device.lock()
                // The event comes a moment later.
                eventually { (try? own.size()) == nil }
                try Forking.require((try? own.size()) == nil)
                try folder.device.unlock("1234")
                try Forking.require(try own.size() == UInt64(Self.content.count))
            }
            // The parent's device was not locked by its child.
            let size = try file.size()
            exit(ending == .success && size == 0 ? 0 : 1)
        }
    }
}
