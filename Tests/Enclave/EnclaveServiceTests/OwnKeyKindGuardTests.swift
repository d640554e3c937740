import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnclaveService

/// The guards of keys of ML-KEM and ML-DSA: the same as those of P-256.
@Suite struct OwnKeyKindGuardTests {
    typealias Rules = OwnKeyRuleTests

    @Test(
        "a key is used with what its rule asks for and with nothing less",
        arguments: [EnclaveKeyKind.mlkem768, .mldsa65],
        Rules.table)
    func evidence(_ kind: EnclaveKeyKind, _ row: Rules.Row) throws {
        let device = try TestDevice.withFinger()
        let full = try Rules.context(Rules.everything, device)
        let key = try device.ownKey(kind, row.flags, context: full)
        for isOpened in [false, true] {
            for kinds in Rules.allEvidence {
                let context = try Rules.context(kinds, device)
                let isEnough = row.enough.contains { kinds.isSuperset(of: $0) }
                if isOpened { #expect(try device.useRefusal(key, with: full) == nil) }
                #expect(try device.useRefusal(key, with: context) == (isEnough ? nil : .authenticationNeeded))
            }
        }
        #expect(try device.isGone(key) == nil)
    }

    @Test("a wrong application password is told, and other fingers end a key for those of before")
    func ended() throws {
        for kind in TestDevice.kinds {
            let device = try TestDevice.withFinger()
            let right = try Rules.context(.applicationPassword, device)
            let locked = try device.ownKey(kind, .applicationPassword, context: right)
            let wrong = try device.openContext()
            try device.expectDone(SetApplicationPassword(passcode("App"), in: wrong))
            #expect(try device.useRefusal(locked, with: right) == nil)
            #expect(try device.useRefusal(locked, with: wrong) == .wrongApplicationPassword)
            #expect(device.enclave.openedKeys.count == 0)
            let current = try device.ownKey(kind, .biometryCurrentSet)
            let context = try Rules.context(Rules.everything, device)
            #expect(try device.useRefusal(current, with: context) == nil)
            device.sensor.enroll(.leftThumb)
            #expect(try device.useRefusal(current, with: try device.matchedContext()) == .invalidated)
            #expect(try device.isGone(current) == .invalidated)
        }
    }

    @Test("a key follows its class through the lock states, and ends with the passcode or the device")
    func lockStates() throws {
        for kind in TestDevice.kinds {
            let device = try TestDevice.withPasscode()
            let protections: [ProtectionClass] = [
                .whenUnlocked, .afterFirstUnlock, .always, .whenPasscodeSetThisDeviceOnly,
            ]
            let keys = try protections.map { try device.ownKey(kind, [], $0) }
            func refusals() throws -> [KeyRefusal?] { try keys.map { try device.useRefusal($0) } }
            #expect(try refusals() == [nil, nil, nil, nil])
            #expect(device.enclave.openedKeys.count == 4)
            try device.expectDone(LockDevice(immediately: true))
            #expect(device.enclave.openedKeys.count == 0)
            #expect(try refusals() == [.locked, nil, nil, .locked])
            for key in keys { #expect(try device.isGone(key) == nil) }
            device.enclave.restart()
            #expect(try refusals() == [.locked, .locked, nil, .locked])
            try device.expectDone(UnlockDevice(passcode("1234")))
            #expect(try refusals() == [nil, nil, nil, nil])
            try device.expectDone(RemovePasscode(passcode("1234")))
            #expect(try refusals() == [nil, nil, nil, .classKeyMissing])
            try device.expectDone(EraseDevice(passcode: nil))
            #expect(try refusals() == [.damaged, .damaged, .damaged, .classKeyMissing])
        }
    }

    @Test("a deleted key stays deleted, although a program kept the blob", arguments: TestDevice.kinds)
    func deleted(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice.withPasscode()
        let keys = try (0..<3).map { _ in try device.ownKey(kind) }
        #expect(try device.useRefusal(keys[0]) == nil)
        try device.delete(keys[0])
        // Also while it cannot be looked into.
        try device.expectDone(LockDevice(immediately: true))
        try device.delete(keys[1])
        try device.expectDone(UnlockDevice(passcode("1234")))
        for next in [device, try device.reopened()] {
            if next.enclave !== device.enclave { try next.expectDone(UnlockDevice(passcode("1234"))) }
            #expect(try keys.map { try next.useRefusal($0) } == [.deleted, .deleted, nil])
            #expect(try keys.map { try next.isGone($0) } == [.deleted, .deleted, nil])
        }
    }

    @Test("another device opens none, nor takes one for its own while it is locked", arguments: TestDevice.kinds)
    func otherDevice(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice.withFinger()
        let other = try TestDevice(seed: 2, sensor: ScriptedSensor(.rightIndex))
        try other.expectDone(SetPasscode(passcode("1234")))
        let context = try Rules.context(Rules.everything, other)
        for flags in [[], .userPresence] as [AccessControlFlags] {
            let key = try device.ownKey(kind, flags, .always)
            #expect(try other.useRefusal(key, with: context) == .damaged)
            try other.expectDone(LockDevice(immediately: true))
            #expect(try other.useRefusal(key) == .damaged)
            #expect(try other.isGone(key) == .damaged)
            try other.expectDone(UnlockDevice(passcode("1234")))
        }
    }

    @Test(
        "altered at any byte a key is damaged, whatever was proved, and no prompt is shown", arguments: TestDevice.kinds
    )
    func altered(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice.withFinger()
        let context = try Rules.context(Rules.everything, device)
        let flags: AccessControlFlags = [.userPresence, .applicationPassword]
        let key = try device.ownKey(kind, flags, context: context)
        #expect(try device.useRefusal(key, with: context) == nil)
        // Version, class, identifier and kind; some of the public key; all that follows it.
        let publicKey = 19..<19 + kind.publicKeyByteCount
        let places = key.blob.indices.filter {
            !publicKey.contains($0) || $0 % 101 == 0 || $0 == publicKey.upperBound - 1
        }
        for index in places {
            var blob = key.blob
            blob[index] ^= 1 << UInt8(index % 8)
            #expect(try device.useRefusal(key, with: context, blob: blob) == .damaged, "byte \(index)")
            #expect(try device.enclave.ask(DescribeKeys([blob])) == [.gone(.damaged)], "byte \(index)")
        }
        #expect(try device.useRefusal(key, with: context) == nil)
    }

    @Test("one key's seed under another's head is damage, also of the same kind and rule") func spliced() throws {
        let device = try TestDevice()
        let keys = try TestDevice.kinds.flatMap { kind in [try device.ownKey(kind), try device.ownKey(kind)] }
        for key in keys {
            for other in keys where other.blob != key.blob {
                let byteCount = EnclaveKeyKind(publicKeyByteCount: other.publicKey.count).map(\.secretByteCount) ?? 0
                let own = EnclaveKeyKind(publicKeyByteCount: key.publicKey.count).map(\.secretByteCount) ?? 0
                let blob = key.blob.dropLast(own + 16) + other.blob.suffix(byteCount + 16)
                #expect(try device.useRefusal(key, blob: Array(blob)) == .damaged)
            }
        }
    }

    /// Everything but the public key is right, as only the enclave could write it.
    @Test("a seed that does not belong to the public key is damage", arguments: TestDevice.kinds)
    func otherPublicKey(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice()
        let key = try EnclaveKeyBlob(parsing: try device.ownKey(kind).blob)
        let other = try EnclaveKeyBlob(parsing: try device.ownKey(kind).blob)
        let storage = try FileEnclaveStorage(directory: device.directory.storage)
        let keybag = SystemKeybag(try device.storedKeybag(), hardwareKey: storage.hardwareKey)
        let classKey = try #require(try keybag.openWithoutPasscode()[.whenUnlocked])
        let deviceKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
        guard case .key(let seed) = key.secret(with: classKey, deviceKey: deviceKey, passwordKey: nil) else {
            throw Unexpected()
        }
        func blob(_ publicKey: [UInt8]) throws -> OwnKey {
            let made = try EnclaveKeyBlob(
                kind: kind, identifier: key.identifier, publicKey: publicKey, secret: seed,
                accessControl: key.accessControl, classKey: classKey, deviceKey: deviceKey,
                sealKey: storage.hardwareKey.derived(label: EnclaveKeyBlob.sealKeyLabel), passwordKey: nil,
                entropy: device.entropy)
            return OwnKey(
                blob: try #require(made).bytes, publicKey: publicKey, accessControl: key.accessControl)
        }
        #expect(try device.useRefusal(try blob(key.publicKey)) == nil)
        #expect(try device.useRefusal(try blob(other.publicKey)) == .damaged)
    }

    @Test("the seed of a key leaves memory with the lock", arguments: [EnclaveKeyKind.mlkem768, .mldsa87])
    func memory(_ kind: EnclaveKeyKind) throws {
        // Another seed than anybody else's, whose keys would be the same.
        let device = try TestDevice(seed: 0x5EED_0000 + UInt64(kind.rawValue))
        try device.expectDone(SetPasscode(passcode("1234")))
        let key = try device.ownKey(kind)
        func needle() throws -> OwnMemory.Needle {
            let storage = try FileEnclaveStorage(directory: device.directory.storage)
            let keybag = SystemKeybag(try device.storedKeybag(), hardwareKey: storage.hardwareKey)
            let classKey = try #require(try keybag.open(with: passcode("1234"))[.whenUnlocked])
            let deviceKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
            let blob = try EnclaveKeyBlob(parsing: key.blob)
            guard case .key(let seed) = blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: nil) else {
                throw Unexpected()
            }
            return OwnMemory.Needle(seed.prefix(32))
        }
        let needle = try needle()
        #expect(try OwnMemory.count(of: [needle]) == 0)
        for _ in 0..<3 { #expect(try device.useRefusal(key) == nil) }
        #expect(try OwnMemory.count(of: [needle]) == 1, "an opened key is somewhere, or the search finds nothing")
        try device.expectDone(LockDevice(immediately: true))
        #expect(try OwnMemory.count(of: [needle]) == 0)
    }
}
