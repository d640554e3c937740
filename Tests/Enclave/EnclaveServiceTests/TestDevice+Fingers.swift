import LatchkeyAccessControl
import LatchkeyEnclaveContract
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
        try device.expectDone(SetPasscode(passcode("1234")))
        _ = try device.biometry
        return device
    }

    var biometry: BiometryStatus {
        get throws { try enclave.ask(AskBiometry()) }
    }

    func openContext() throws -> ContextIdentifier {
        guard case .opened(let context) = try enclave.ask(OpenContext()) else { throw Unexpected() }
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
        let answer = try enclave.ask(AssessDemand(demand, in: context))
        guard case .known(let verdict) = answer else {
            Issue.record("expected a verdict, got \(answer)", sourceLocation: location)
            throw Unexpected()
        }
        return verdict
    }

    /// Waits for a touch that the test has given already.
    func match(for context: ContextIdentifier, seconds: Double = 60) throws -> MatchOutcome {
        guard case .known(let outcome) = try enclave.ask(MatchFinger(seconds: seconds, in: context)) else {
            throw Unexpected()
        }
        return outcome
    }

    func unlockWithFinger(seconds: Double = 60) throws -> MatchOutcome {
        try enclave.ask(UnlockWithFinger(seconds: seconds))
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
        try expectDone(OfferPasscode(passcode("1234"), to: context))
        return context
    }

    func bound(_ flags: AccessControlFlags, protection: ProtectionClass = .whenUnlocked) throws -> AccessControl {
        let control = try AccessControl(protection: protection, flags: flags)
        guard case .bound(let bound) = try enclave.ask(BindAccessControl(control)) else { throw Unexpected() }
        return bound
    }

    /// A key of an item with this access control.
    func item(
        _ flags: AccessControlFlags, keyClass: KeyClass = .whenUnlocked, context: ContextIdentifier? = nil
    ) throws -> EnclaveServiceTests.CreatedKey {
        let protection = try #require(keyClass.protectionClass)
        let binding = try bound(flags, protection: protection).serialised
        let made = try enclave.ask(CreateKeys(keyClass, .item, binding: binding, count: 1, context: context))
        guard case .success(let keys) = made, keys.count == 1 else {
            Issue.record("expected a key, got \(made)")
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
        guard let outcomes = try? enclave.ask(UnwrapKeys([wrapped], context: context)), outcomes.count == 1 else {
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
