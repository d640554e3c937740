import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization
import Testing

extension TestDevice {
    /// A device with passcode 1234, unlocked, and a right index finger enrolled.
    static func withFinger(generation: UInt64? = nil) throws -> TestDevice {
        let device = try TestDevice(sensor: ScriptedSensor(.rightIndex, generation: generation))
        try device.expectDone(.setPasscode(new: passcode("1234")))
        _ = try device.biometry
        return device
    }

    var biometry: BiometryStatus {
        get throws {
            guard case .biometry(.status(let status)) = enclave.perform(.biometry(.status)) else { throw Unexpected() }
            return status
        }
    }

    func openContext() throws -> ContextIdentifier {
        guard case .context(.opened(let context)) = enclave.perform(.context(.open)) else { throw Unexpected() }
        return context
    }

    func verdict(
        _ policy: AuthenticationPolicy, in context: ContextIdentifier,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Verdict {
        try verdict(on: .policy(policy), in: context, location)
    }

    func verdict(
        on demand: AuthenticationDemand, in context: ContextIdentifier,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Verdict {
        let reply = enclave.perform(.context(.assess(demand, context)))
        guard case .context(.verdict(let verdict)) = reply else {
            Issue.record("expected a verdict, got \(reply)", sourceLocation: location)
            throw Unexpected()
        }
        return verdict
    }

    /// Waits for a touch that the test has given already.
    func match(for context: ContextIdentifier, seconds: Double = 60) throws -> MatchOutcome {
        guard case .context(.match(let outcome)) = enclave.perform(.context(.matchFinger(seconds: seconds, context)))
        else { throw Unexpected() }
        return outcome
    }

    func unlockWithFinger(seconds: Double = 60) throws -> MatchOutcome {
        guard case .biometry(.match(let outcome)) = enclave.perform(.biometry(.unlockWithFinger(seconds: seconds)))
        else { throw Unexpected() }
        return outcome
    }

    /// A context that was proved a finger.
    func matchedContext() throws -> ContextIdentifier {
        let context = try openContext()
        sensor.give(.matched(.rightIndex))
        #expect(try match(for: context) == .matched(.rightIndex))
        return context
    }

    /// A context that was proved the passcode.
    func passcodeContext() throws -> ContextIdentifier {
        let context = try openContext()
        try expectDone(.context(.offerPasscode(passcode("1234"), context)))
        return context
    }

    func bound(_ flags: AccessControlFlags, protection: ProtectionClass = .whenUnlocked) throws -> AccessControl {
        let control = try AccessControl(protection: protection, flags: flags)
        guard case .context(.bound(let bound)) = enclave.perform(.context(.bind(accessControl: control)))
        else { throw Unexpected() }
        return bound
    }

    /// A key of an item with this access control.
    func item(
        _ flags: AccessControlFlags, keyClass: KeyClass = .whenUnlocked, context: ContextIdentifier? = nil
    ) throws -> EnclaveServiceTests.CreatedKey {
        let protection = try #require(keyClass.protectionClass)
        let binding = try bound(flags, protection: protection).serialised
        let reply = enclave.perform(
            .createKeys(keyClass: keyClass, use: .item, binding: binding, count: 1, context: context))
        guard case .createdKeys(let keys) = reply, keys.count == 1 else {
            Issue.record("expected a key, got \(reply)")
            throw Unexpected()
        }
        return CreatedKey(
            key: keys[0].key,
            wrapped: WrappedKey(keyClass: keyClass, use: .item, binding: binding, bytes: keys[0].wrapped))
    }

    /// Nil if the key opened to what it was, else why not.
    func refusalToOpen(
        _ created: EnclaveServiceTests.CreatedKey, with context: ContextIdentifier?, binding: [UInt8]? = nil
    ) -> KeyRefusal? {
        let wrapped = WrappedKey(
            keyClass: created.wrapped.keyClass, use: .item, binding: binding ?? created.wrapped.binding,
            bytes: created.wrapped.bytes)
        guard case .keys(let outcomes) = enclave.perform(.unwrapKeys([wrapped], context: context)),
            outcomes.count == 1
        else {
            Issue.record("one wrapped key does not get one answer")
            return nil
        }
        switch outcomes[0] {
        case .key(let key):
            #expect(key.equals(created.key), "a wrapped key opens to another key")
            return nil
        case .refused(let refusal):
            return refusal
        }
    }
}
