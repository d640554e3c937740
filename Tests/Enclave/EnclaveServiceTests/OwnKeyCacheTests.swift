import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyEnclaveService

/// Opened keys are kept, and no longer than their class key.
@Suite(.serialized) struct OwnKeyCacheTests {
    private func count(_ device: TestDevice) -> Int { device.enclave.openedKeys.count }

    @Test("a key is opened once, and forgotten when class keys come or go") func epochs() throws {
        let device = try TestDevice.withPasscode()
        let unlocked = try device.ownKey()
        let always = try device.ownKey([], .always)
        func fill() {
            for key in [unlocked, always] { #expect(device.refusal(.sign, key) == nil) }
            #expect(count(device) == 2)
        }
        fill()
        fill()
        try device.expectDone(LockDevice(immediately: true))
        #expect(count(device) == 0)
        #expect(device.refusal(.sign, unlocked) == .locked)
        #expect(device.refusal(.sign, always) == nil)
        try device.expectDone(UnlockDevice(passcode("1234")))
        fill()
        // Until the grace period is over the keys are there.
        try device.expectDone(ConfigureDevice(passcode: passcode("1234"), gracePeriodSeconds: 10))
        try device.expectDone(LockDevice(immediately: false))
        fill()
        device.clock.advance(by: 11)
        device.enclave.clockMoved()
        #expect(count(device) == 0)
        try device.expectDone(UnlockDevice(passcode("1234")))
        fill()
        device.enclave.restart()
        #expect(count(device) == 0)
        try device.expectDone(UnlockDevice(passcode("1234")))
        fill()
        try device.delete(unlocked)
        #expect(count(device) == 1)
        try device.expectDone(EraseDevice(passcode: passcode("1234")))
        #expect(count(device) == 0)
    }

    @Test("only so many are kept, and all work") func limit() throws {
        let device = try TestDevice()
        let keys = try (0..<OpenedKeys.limit + 20).map { _ in try device.ownKey() }
        for _ in 0..<2 {
            for key in keys { #expect(device.refusal(.sign, key) == nil) }
            #expect(count(device) == OpenedKeys.limit)
        }
    }

    @Test("what was opened in an epoch that is over is not kept") func late() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        #expect(device.refusal(.sign, key) == nil)
        let epoch = device.enclave.keyEpoch
        let opened = try #require(device.enclave.openedKeys.key(of: key.blob, in: epoch))
        device.enclave.restart()
        device.enclave.openedKeys.keep(opened, for: key.blob, in: epoch)
        #expect(count(device) == 0)
        #expect(device.enclave.openedKeys.key(of: key.blob, in: epoch) == nil)
    }

    @Test("the number of a key leaves memory with the lock") func memory() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey()
        func needles() throws -> [OwnMemory.Needle] {
            let storage = try FileEnclaveStorage(directory: device.directory.storage)
            let keybag = SystemKeybag(try device.storedKeybag(), hardwareKey: storage.hardwareKey)
            let classKey = try #require(try keybag.open(with: passcode("1234"))[.whenUnlocked])
            let deviceKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
            let blob = try EnclaveKeyBlob(parsing: key.blob)
            guard case .key(let number) = blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: nil) else {
                throw Unexpected()
            }
            // As it stands in messages, and as libcrypto keeps numbers.
            let reversed = SecretBox(count: number.count) { room in
                number.withBytes { room.copyBytes(from: $0.reversed()) }
            }
            return [OwnMemory.Needle(number), OwnMemory.Needle(reversed)]
        }
        let needles = try needles()
        #expect(try OwnMemory.count(of: needles) == 0)
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == nil) }
        #expect(try OwnMemory.count(of: needles) > 0, "an opened key is somewhere, or the search finds nothing")
        try device.expectDone(LockDevice(immediately: true))
        #expect(try OwnMemory.count(of: needles) == 0)
    }

    @Test("threads sign while others lock, unlock and delete: a right signature, or the reason why not") func threads()
        throws
    {
        let device = try TestDevice.withPasscode()
        let unlocked = try device.ownKey()
        let always = try device.ownKey([], .always)
        let doomed = try device.ownKey([], .always)
        let deleted = Atomic<Bool>(false)
        let signed = Atomic<Int>(0)
        let wrong = Mutex<[String]>([])
        @Sendable func note(_ isRight: Bool, _ what: String) {
            if !isRight { wrong.withLock { $0.append(what) } }
        }
        onThreads(6) { thread in
            for round in 0..<60 {
                switch thread {
                case 0:
                    _ = try? device.enclave.ask(LockDevice(immediately: true))
                    _ = try? device.enclave.ask(UnlockDevice(passcode("1234")))
                case 1 where round == 30:
                    note((try? device.delete(doomed)) != nil, "delete")
                    deleted.store(true, ordering: .sequentiallyConsistent)
                case 1:
                    note((try? device.isGone(unlocked)) == .some(nil), "described as gone")
                default:
                    let wasDeleted = deleted.load(ordering: .sequentiallyConsistent)
                    let use = OwnKeyUse.allCases[round % 2]
                    let refusals = [unlocked, always, doomed].map { device.refusal(use, $0) }
                    note([nil, .locked].contains(refusals[0]), "unlocked: \(refusals)")
                    note(refusals[1] == nil, "always: \(refusals)")
                    note(wasDeleted ? refusals[2] == .deleted : [nil, .deleted].contains(refusals[2]), "\(refusals)")
                    if refusals[0] == nil { signed.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect(device.refusal(.sign, unlocked) == nil)
        try device.expectDone(LockDevice(immediately: true))
        #expect(count(device) == 0)
    }
}
