import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncKeys
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncIdentity

/// A device with an enclave of its own in a temporary directory.
private struct Device {
    let directory: TemporaryDirectory
    let enclave: EnclaveService

    init(passcode: String? = "1234") throws {
        directory = try TemporaryDirectory()
        let entropy = SystemEntropy()
        let storage = try FileEnclaveStorage(directory: directory.path + "/enclave", entropy: entropy)
        enclave = try EnclaveService(
            storage: storage, clock: HandClock(), entropy: entropy, passcodeCost: .fixed(log2Cost: 4))
        if let passcode { try enclave.ask(SetPasscode(Self.secret(passcode))) }
    }

    static func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    func newIdentity() throws -> EnclaveIdentity {
        EnclaveIdentity(try EnclaveIdentity.make(by: enclave), enclave: enclave)
    }

    /// A context in which the passcode was proved.
    func provenContext() throws -> ContextIdentifier {
        guard case .opened(let context) = try enclave.ask(OpenContext()),
            case .known = try enclave.ask(OfferPasscode(Self.secret("1234"), to: context))
        else { throw Unexpected() }
        return context
    }
}

private struct Unexpected: Error {}

@Suite("The identity of a device in the enclave") struct EnclaveIdentityTests {
    private static let circle = CircleIdentifier([UInt8](repeating: 3, count: 16))!
    private static let message = Array("message".utf8)

    private static func failure<Made>(_ use: () throws(SyncKeyFailure) -> Made) -> SyncKeyFailure? {
        do throws(SyncKeyFailure) {
            _ = try use()
            return nil
        } catch {
            return error
        }
    }

    /// The reason for which each private key cannot be used; nil where it can.
    private static func failures(of identity: EnclaveIdentity) throws -> [String: SyncKeyFailure] {
        let peer = SoftwareIdentity(testOnlySeed: 1).publicKeys.receiveA.agreement
        let ciphertext = [UInt8](repeating: 7, count: 1088)
        var failures: [String: SyncKeyFailure] = [:]
        failures["statement"] = failure { () throws(SyncKeyFailure) in try identity.statementKey.sign(message) }
        failures["log"] = failure { () throws(SyncKeyFailure) in try identity.logKey.sign(message) }
        for zone in ZoneClass.allCases {
            let keys = identity.receiveKeys(of: zone)
            failures["agreement \(zone)"] = failure { () throws(SyncKeyFailure) in try keys.agree(with: peer) }
            failures["encapsulation \(zone)"] = failure { () throws(SyncKeyFailure) in
                try keys.decapsulate(ciphertext)
            }
        }
        return failures
    }

    @Test("signs with both keys as the verifier expects, and opens shares") func working() throws {
        let device = try Device()
        let identity = try device.newIdentity().provingPasscode(in: device.provenContext())
        #expect(try Self.failures(of: identity) == [:])
        let verifier = P256StatementVerifier()
        let (statement, log) = (
            try identity.statementKey.sign(Self.message), try identity.logKey.sign(Self.message)
        )
        #expect(verifier.verifies(statement, over: Self.message, publicKey: identity.publicKeys.statement))
        #expect(verifier.verifies(log, over: Self.message, publicKey: identity.publicKeys.log))
        #expect(!verifier.verifies(log, over: Self.message, publicKey: identity.publicKeys.statement))

        let keys = EpochKeys(from: SystemEntropy(), circleSecret: nil)
        let commitments = ZoneCommitment.commitments(to: keys, in: Self.circle, .first)
        let epoch = try Epoch(number: .first, commitments: commitments, shares: [:])
        let share = ZoneShare(in: Self.circle, commitments, for: identity.party)
        let shares = try #require(
            share.sealed(keys, for: PartyKeys.device(identity.publicKeys).receiveKeys))
        let openedA = try share.openedA(shares, of: epoch, with: identity.receiveKeys(of: .a))
        #expect(openedA.secret.equals(keys.a.secret))
        let opened = try share.openedC(shares, of: epoch, with: identity.receiveKeys(of: .c))
        #expect(opened.key.secret.equals(keys.c.secret) && opened.circleSecret.equals(keys.circleSecret))
    }

    @Test("passcode-before-membership: signs statements only after the passcode was proved, and leaves no context open")
    func passcodeFirst() throws {
        let device = try Device()
        let identity = try device.newIdentity()
        let before = try device.enclave.ask(AskLoad()).contexts
        #expect(try Self.failures(of: identity) == ["statement": .passcodeNeeded])
        #expect(try device.enclave.ask(AskLoad()).contexts == before)
        guard case .opened(let empty) = try device.enclave.ask(OpenContext()) else { throw Unexpected() }
        #expect(try Self.failures(of: identity.provingPasscode(in: empty)) == ["statement": .passcodeNeeded])
        // The caller's context stays.
        guard case .known = try device.enclave.ask(CloseContext(empty)) else { throw Unexpected() }
    }

    @Test("on a locked device opens no share of zone A and signs no statement") func locked() throws {
        let device = try Device()
        let identity = try device.newIdentity().provingPasscode(in: device.provenContext())
        try device.enclave.ask(LockDevice(immediately: true))
        #expect(
            try Self.failures(of: identity) == [
                "statement": .locked, "agreement a": .locked, "encapsulation a": .locked,
            ])
        device.enclave.restart()
        #expect(try Set(Self.failures(of: identity).values) == [.locked])
        #expect(try Self.failures(of: identity).count == 6)
        try device.enclave.ask(UnlockDevice(Device.secret("1234")))
        #expect(try Self.failures(of: identity) == ["statement": .passcodeNeeded])
    }

    @Test("cannot be made without a passcode, nor on a locked device") func making() throws {
        let open = try Device(passcode: nil)
        #expect(throws: IdentityFailure.passcodeNotSet) { try EnclaveIdentity.make(by: open.enclave) }
        let locked = try Device()
        try locked.enclave.ask(LockDevice(immediately: true))
        #expect(throws: IdentityFailure.locked) { try EnclaveIdentity.make(by: locked.enclave) }
    }

    @Test("loses its statement key with the passcode, for ever") func passcodeRemoved() throws {
        let device = try Device()
        let identity = try device.newIdentity()
        try device.enclave.ask(RemovePasscode(Device.secret("1234")))
        #expect(try Self.failures(of: identity) == ["statement": .gone])
        try device.enclave.ask(SetPasscode(Device.secret("1234")))
        let proven = identity.provingPasscode(in: try device.provenContext())
        let failures = try Self.failures(of: proven)
        #expect(Set(failures.keys) == ["statement"])
        #expect(failures["statement"] == .gone || failures["statement"] == .damaged)
    }

    @Test("can no longer be used once it is deleted") func deletion() throws {
        let device = try Device()
        let identity = try device.newIdentity().provingPasscode(in: device.provenContext())
        try identity.delete()
        #expect(try Set(Self.failures(of: identity).values) == [.gone])
        #expect(try Self.failures(of: identity).count == 6)
    }

    @Test("is of no use on another device") func otherDevice() throws {
        let (one, other) = (try Device(), try Device())
        let identity = EnclaveIdentity(try one.newIdentity().record, enclave: other.enclave)
        #expect(try Set(Self.failures(of: identity).values) == [.damaged])
    }

    @Test("is stored and read back; damaged records are refused") func records() throws {
        let record = try Device().newIdentity().record
        let read = try #require(IdentityRecord(record.bytes))
        #expect(read == record && read.publicKeys == record.publicKeys)
        #expect(IdentityRecord([]) == nil && IdentityRecord([2] + record.bytes.dropFirst()) == nil)
        #expect(IdentityRecord(record.bytes + [0]) == nil)
        for count in [1, 2, 3, 100, record.bytes.count - 1] {
            #expect(IdentityRecord(Array(record.bytes.prefix(count))) == nil)
        }
        // Two keys that changed places: the kinds tell.
        var blobs = record.allBlobs
        blobs.swapAt(2, 3)
        #expect(IdentityRecord(blobs: blobs) == nil)
    }

    @Test("a keyring is stored by the enclave, and zone A is restored on an unlocked device alone") func keyring()
        throws
    {
        let device = try Device()
        let wrapping = EnclaveKeyringWrapping(device.enclave)
        var keyring = ZoneKeyring(of: Self.circle)
        let epochs = (UInt64(0)..<130).map { ObjectHash(words: ($0, 1, 2, 3)) }
        for epoch in epochs { keyring.add(EpochKeys(from: SystemEntropy(), circleSecret: nil), of: epoch) }
        let zoneKeys = epochs.flatMap { epoch in ZoneClass.allCases.map { KeyringSubject.zoneKey(epoch, $0) } }
        let subjects = zoneKeys + [.circleSecret]
        // More than fit in one question.
        let stored = try keyring.stored(subjects, by: wrapping)
        #expect(stored.count == 261)

        try device.enclave.ask(LockDevice(immediately: true))
        var restored = ZoneKeyring(of: Self.circle)
        let failures = try restored.restore(stored, by: wrapping)
        #expect(Set(failures.values) == [.locked] && failures.count == epochs.count)
        #expect(restored.epochs(.a) == [] && restored.epochs(.c) == Set(epochs))
        let wrappingFailure = Self.failure { () throws(SyncKeyFailure) in
            let secret = SecretBox(copying: [UInt8](repeating: 1, count: 32))
            return try wrapping.wrap(secret, of: subjects[0], in: Self.circle)
        }
        #expect(wrappingFailure == .locked)

        try device.enclave.ask(UnlockDevice(Device.secret("1234")))
        #expect(try restored.restore(stored, by: wrapping) == [:])
        for subject in subjects {
            let (one, other) = (try #require(keyring.secret(of: subject)), try #require(restored.secret(of: subject)))
            #expect(one.equals(other))
        }
        // In another circle the same bytes are worth nothing.
        var elsewhere = ZoneKeyring(of: CircleIdentifier([UInt8](repeating: 4, count: 16))!)
        #expect(Set(try elsewhere.restore(stored, by: wrapping).values) == [.damaged])
    }

    @Test("the binding has the length that the enclave demands") func bindingLength() {
        #expect(KeyringSubject.bindingByteCount == EnclaveLimits.syncBindingByteCount)
    }
}
