import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyTestSupport
import Synchronization
import Testing

/// Deleting one of the enclave's own keys is final.
@Suite struct OwnKeyDeletionTests {
    private func expectDeleted(
        _ key: OwnKey, _ device: TestDevice, _ location: SourceLocation = #_sourceLocation
    ) throws {
        for use in OwnKeyUse.allCases {
            #expect(device.refusal(use, key) == .deleted, sourceLocation: location)
        }
        #expect(try device.isGone(key) == .deleted, sourceLocation: location)
    }

    private func listed(_ device: TestDevice) throws -> Int {
        try FileEnclaveStorage(directory: device.directory.storage).deletedKeys().identifiers.count
    }

    @Test("a deleted key works nowhere any more, and every other key does") func final() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey()
        let other = try device.ownKey()
        #expect(device.refusal(.sign, key) == nil)
        try device.delete(key)
        try expectDeleted(key, device)
        #expect(device.refusal(.sign, other) == nil)
        device.enclave.restart()
        try expectDeleted(key, device)
        #expect(device.refusal(.sign, other) == .locked)
        let next = try device.reopened()
        try next.expectDone(UnlockDevice(passcode("1234")))
        try expectDeleted(key, next)
        #expect(next.refusal(.sign, other) == nil)
        // Once more does no harm.
        try next.delete(key, key)
        #expect(try listed(device) == 1)
    }

    @Test("a key deleted by another process is gone here at once, opened or not") func otherProcess() throws {
        let device = try TestDevice()
        let other = try device.reopened()
        let keys = try (0..<4).map { _ in try device.ownKey() }
        for key in keys.prefix(3) { #expect(other.refusal(.sign, key) == nil) }
        try device.delete(keys[0])
        try expectDeleted(keys[0], other)
        try other.delete(keys[1])
        try expectDeleted(keys[1], device)
        // Neither forgets what the other one wrote down.
        try device.delete(keys[2])
        for key in keys.prefix(3) {
            try expectDeleted(key, device)
            try expectDeleted(key, other)
        }
        for use in OwnKeyUse.allCases { #expect(other.refusal(use, keys[3]) == nil) }
        #expect(try listed(device) == 3)
    }

    @Test("a locked key is deleted too, and gone before it is unlocked") func locked() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey()
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.isGone(key) == nil)
        try device.delete(key)
        try expectDeleted(key, device)
        try device.expectDone(UnlockDevice(passcode("1234")))
        try expectDeleted(key, device)
    }

    @Test("bytes that are not a key of this device are passed over") func passedOver() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        let foreign = try TestDevice(seed: 2).ownKey()
        let altered = [key.blob.count - 1, key.blob.count - 60].map { place in
            var bytes = key.blob
            bytes[place] ^= 1
            return bytes
        }
        let blobs = [foreign.blob, [], [1], [UInt8](repeating: 1, count: 5000)] + altered
        try device.expectDone(DeleteKeys(blobs))
        #expect(!FileManager.default.fileExists(atPath: device.directory.storage + "/deleted-keys"))
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == nil) }
        #expect(try device.isGone(key) == nil)
        try device.expectDone(DeleteKeys(blobs + [key.blob]))
        try expectDeleted(key, device)
        #expect(try listed(device) == 1)
    }

    @Test("while it is locked, nothing that this device did not write is deleted") func lockedForgeries() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey()
        let foreign = try TestDevice(seed: 2).ownKey()
        try device.expectDone(LockDevice(immediately: true))
        let parsed = try EnclaveKeyBlob(parsing: key.blob)
        let clear = 85 + parsed.accessControl.serialised.count
        // The part in clear, and the seal.
        let altered = (0..<clear + 32).map { place in
            var bytes = key.blob
            bytes[place] ^= 1 << UInt8(place % 8)
            return bytes
        }
        // The head of one and the seal of another.
        let mixed = Array(key.blob[..<clear]) + foreign.blob[clear...]
        let forgeries = altered + [mixed, foreign.blob]
        let descriptions = try device.enclave.ask(DescribeKeys(forgeries))
        #expect(descriptions == [KeyDescription](repeating: .gone(.damaged), count: forgeries.count))
        for blob in forgeries {
            for use in OwnKeyUse.allCases { #expect(device.refusal(use, key, blob: blob) == .damaged) }
        }
        try device.expectDone(DeleteKeys(forgeries))
        #expect(!FileManager.default.fileExists(atPath: device.directory.storage + "/deleted-keys"))
        try device.expectDone(UnlockDevice(passcode("1234")))
        #expect(device.refusal(.sign, key) == nil)
    }

    @Test("the list ends with the device, for every process that uses it") func erased() throws {
        let device = try TestDevice.withPasscode()
        let other = try device.reopened()
        let key = try device.ownKey([], .always)
        try device.delete(key)
        #expect(try other.isGone(key) == .deleted)
        try device.expectDone(EraseDevice(passcode: passcode("1234")))
        #expect(!FileManager.default.fileExists(atPath: device.directory.storage + "/deleted-keys"))
        #expect(try device.isGone(key) == .damaged)
        #expect(try other.isGone(key) == .damaged)
        let next = try device.ownKey()
        try other.delete(next)
        try expectDeleted(next, device)
        #expect(try listed(device) == 1)
    }

    @Test("a list that cannot be read stops the keys, until it is put back") func damaged() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        try device.delete(try device.ownKey())
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == nil) }
        var bytes = try device.directory.bytes(of: "deleted-keys")
        bytes[20] ^= 1
        try device.directory.put(bytes, in: "deleted-keys")
        let questions: [any EnclaveQuestion] = [
            SignDigest(TestDevice.digest, with: key.blob, context: nil), DescribeKeys([key.blob]),
            AgreeOnKey(with: TestDevice.peer, by: key.blob, context: nil), DeleteKeys([key.blob]),
        ]
        for question in questions {
            guard case .storage(let reason) = try device.refusal(of: question) else { throw Unexpected() }
            #expect(reason.contains("deleted-keys is damaged") && reason.contains("or remove it: a deleted key works"))
        }
        bytes[20] ^= 1
        try device.directory.put(bytes, in: "deleted-keys")
        #expect(device.refusal(.sign, key) == nil)
    }

    @Test("a full list refuses one more with the reason, and everything else goes on") func full() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        let listed = try device.ownKey()
        let own = try EnclaveKeyBlob(parsing: listed.blob).identifier
        let others = (0..<UInt64(DeletedKeys.limit - 1)).compactMap { number in
            EnclaveKeyIdentifier([0, 0, 0, 0, 0] + (0..<11).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
        }
        let full = try #require(DeletedKeys(ascending: (others + [own]).sorted()))
        #expect(full.identifiers.count == DeletedKeys.limit)
        try FileEnclaveStorage(directory: device.directory.storage).replaceDeletedKeys(full)
        guard case .storage(let reason) = try device.refusal(of: DeleteKeys([key.blob])) else { throw Unexpected() }
        #expect(reason.contains("1000000 deleted keys are on record"))
        #expect(device.refusal(.sign, key) == nil)
        try expectDeleted(listed, device)
        try device.delete(listed)
    }
}
