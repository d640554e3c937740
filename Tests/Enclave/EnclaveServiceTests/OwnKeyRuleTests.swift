import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import Testing

@testable import LatchkeyEnclaveService

/// The need for a person when one of the enclave's own keys is used.
@Suite struct OwnKeyRuleTests {
    struct Row: Sendable {
        let flags: AccessControlFlags
        /// Any of these is enough.
        let enough: [AuthenticationFactors]

        init(_ flags: AccessControlFlags, _ enough: AuthenticationFactors...) {
            self.flags = flags
            self.enough = enough
        }
    }

    static let table = [
        Row([], []),
        Row(.userPresence, .match, .passcode),
        Row(.biometryAny, .match),
        Row(.biometryCurrentSet, .match),
        Row(.devicePasscode, .passcode),
        Row(.applicationPassword, .applicationPassword),
        Row([.biometryAny, .devicePasscode], [.match, .passcode]),
        Row([.biometryCurrentSet, .devicePasscode, .or], .match, .passcode),
        Row(
            [.userPresence, .applicationPassword], [.match, .applicationPassword], [.passcode, .applicationPassword]),
        Row([.biometryCurrentSet, .applicationPassword], [.match, .applicationPassword]),
    ]

    static let allEvidence = (0..<8).map { AuthenticationFactors(rawValue: $0) }

    /// A context that was proved exactly this.
    static func context(_ kinds: AuthenticationFactors, _ device: TestDevice) throws -> ContextIdentifier {
        let context = try device.openContext()
        if kinds.contains(.match) {
            device.sensor.give(.matched(.rightIndex))
            #expect(try device.match(for: context) == .matched(.rightIndex))
        }
        if kinds.contains(.passcode) { try device.expectDone(OfferPasscode(passcode("1234"), to: context)) }
        if kinds.contains(.applicationPassword) {
            try device.expectDone(SetApplicationPassword(passcode("app"), in: context))
        }
        return context
    }

    static let everything: AuthenticationFactors = [.match, .passcode, .applicationPassword]

    @Test("a key is used with what its rule asks for and with nothing less, opened before or not", arguments: table)
    func evidence(_ row: Row) throws {
        let device = try TestDevice.withFinger()
        let full = try Self.context(Self.everything, device)
        for isOpened in [false, true] {
            let key = try device.ownKey(row.flags, context: full)
            for kinds in Self.allEvidence {
                let context = try Self.context(kinds, device)
                let isEnough = row.enough.contains { kinds.isSuperset(of: $0) }
                for use in OwnKeyUse.allCases {
                    // Each time as if for the first time, or right after a program with every proof.
                    if isOpened { #expect(device.refusal(use, key, with: full) == nil) }
                    let refusal = device.refusal(use, key, with: context)
                    #expect(refusal == (isEnough ? nil : .authenticationNeeded), "\(use), \(kinds)")
                }
            }
            #expect(device.refusal(.sign, key) == (row.flags.isEmpty ? nil : .authenticationNeeded))
            #expect(try device.isGone(key) == nil)
        }
    }

    @Test("what is offered to a key that was opened before ends with its context", arguments: table.dropFirst())
    func evidenceEnded(_ row: Row) throws {
        let device = try TestDevice.withFinger()
        for use in OwnKeyUse.allCases {
            let context = try Self.context(Self.everything, device)
            let key = try device.ownKey(row.flags, .always, context: context)
            #expect(device.refusal(use, key, with: context) == nil)
            try device.expectDone(CloseContext(context))
            #expect(device.refusal(use, key, with: context) == .authenticationNeeded)
            #expect(device.refusal(use, key, with: try device.openContext()) == .authenticationNeeded)
        }
    }

    @Test("a remote lock ends the evidence, not the key of an open class", arguments: table.dropFirst())
    func remoteLock(_ row: Row) throws {
        let device = try TestDevice.withFinger()
        let context = try Self.context(Self.everything, device)
        let key = try device.ownKey(row.flags, .always, context: context)
        #expect(device.refusal(.sign, key, with: context) == nil)
        try device.expectDone(LockRemotely())
        // An application password is not proved by a person.
        let expected: KeyRefusal? = row.flags == .applicationPassword ? nil : .authenticationNeeded
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key, with: context) == expected) }
    }

    @Test("altered at any byte a key is damaged, whatever was proved, and no prompt is shown", arguments: table)
    func altered(_ row: Row) throws {
        let device = try TestDevice.withFinger()
        let context = try Self.context(Self.everything, device)
        let key = try device.ownKey(row.flags, context: context)
        // So that a cached key cannot cover for an altered one.
        #expect(device.refusal(.sign, key, with: context) == nil)
        for index in key.blob.indices {
            var blob = key.blob
            blob[index] ^= 1 << UInt8(index % 8)
            for use in OwnKeyUse.allCases {
                #expect(device.refusal(use, key, with: context, blob: blob) == .damaged, "byte \(index)")
                #expect(device.refusal(use, key, with: nil, blob: blob) == .damaged, "byte \(index)")
            }
            #expect(try device.enclave.ask(DescribeKeys([blob])) == [.gone(.damaged)], "byte \(index)")
        }
        #expect(device.refusal(.sign, key, with: context) == nil)
    }

    @Test("a weaker rule in place of a key's own is damage") func weaker() throws {
        let device = try TestDevice.withFinger()
        let context = try Self.context(Self.everything, device)
        let controls = try Self.table.map { try device.ownKey($0.flags, context: context).accessControl }
        for row in Self.table {
            let key = try device.ownKey(row.flags, context: context)
            let tail = key.blob.dropFirst(85 + key.accessControl.serialised.count)
            for control in controls.map(\.serialised) where control != key.accessControl.serialised {
                let blob = Array(key.blob[..<83]) + [0, UInt8(control.count)] + control + tail
                for use in OwnKeyUse.allCases {
                    #expect(device.refusal(use, key, with: context, blob: blob) == .damaged)
                    #expect(device.refusal(use, key, with: nil, blob: blob) == .damaged)
                }
            }
        }
    }

    @Test("a wrong application password is told, and a right one is needed each time") func applicationPassword() throws
    {
        let device = try TestDevice.withFinger()
        let right = try Self.context(.applicationPassword, device)
        let key = try device.ownKey(.applicationPassword, context: right)
        let wrong = try device.openContext()
        try device.expectDone(SetApplicationPassword(passcode("App"), in: wrong))
        for use in OwnKeyUse.allCases {
            #expect(device.refusal(use, key, with: right) == nil)
            #expect(device.refusal(use, key, with: wrong) == .wrongApplicationPassword)
            #expect(device.refusal(use, key) == .authenticationNeeded)
        }
        #expect(device.enclave.openedKeys.count == 0)
        let later = try device.reopened()
        try later.expectDone(UnlockDevice(passcode("1234")))
        #expect(later.refusal(.sign, key, with: try Self.context(.applicationPassword, later)) == nil)
    }

    @Test("other fingers end a key for the fingers of before, opened or not, and no other key") func enrolment() throws
    {
        let device = try TestDevice.withFinger()
        let context = try Self.context(Self.everything, device)
        let current = try device.ownKey(.biometryCurrentSet)
        let either = try device.ownKey([.biometryCurrentSet, .devicePasscode, .or])
        let any = try device.ownKey(.biometryAny)
        for key in [current, either, any] { #expect(device.refusal(.sign, key, with: context) == nil) }
        device.sensor.enroll(.leftThumb)
        let matched = try device.matchedContext()
        let passcode = try Self.context(.passcode, device)
        for use in OwnKeyUse.allCases {
            #expect(device.refusal(use, current, with: context) == .invalidated)
            #expect(device.refusal(use, current, with: matched) == .invalidated)
            #expect(device.refusal(use, current) == .invalidated)
            #expect(device.refusal(use, either, with: matched) == .authenticationNeeded)
            #expect(device.refusal(use, either, with: passcode) == nil)
            #expect(device.refusal(use, any, with: context) == .authenticationNeeded)
            #expect(device.refusal(use, any, with: matched) == nil)
        }
        #expect(try device.isGone(current) == .invalidated)
        #expect(try device.isGone(either) == nil)
        #expect(try device.isGone(any) == nil)
        // A sensor that is away says nothing of what is enrolled.
        let next = try device.ownKey(.biometryCurrentSet)
        device.sensor.obstacle = .disconnected
        #expect(try device.isGone(next) == nil)
        device.sensor.obstacle = nil
        // While the class key is locked it cannot be told whether the rule is the key's own.
        try device.expectDone(LockDevice(immediately: true))
        #expect(try device.isGone(current) == nil)
    }

    @Test("a refusal opens a context only for a proof that is missing, and only while there is room") func contexts()
        throws
    {
        let device = try TestDevice.withFinger()
        let guarded = try device.ownKey(.userPresence)
        let free = try device.ownKey()
        let deleted = try device.ownKey()
        try device.delete(deleted)
        let before = try device.enclave.ask(AskLoad()).contexts
        var altered = free.blob
        altered[altered.count - 1] ^= 1
        #expect(device.refusal(.sign, free, blob: altered) == .damaged)
        #expect(device.refusal(.sign, deleted) == .deleted)
        let kind = try device.enclave.ask(SignMessage([1], contextString: [], with: guarded.blob, context: nil))
        #expect(kind == .otherKind(.p256))
        #expect(try device.enclave.ask(AskLoad()).contexts == before)
        while case .opened = try device.enclave.ask(OpenContext()) {}
        let refused = try device.enclave.ask(SignDigest(TestDevice.digest, with: guarded.blob, context: nil))
        #expect(refused == .refused(.authenticationNeeded))
        try device.expectDone(LockDevice(immediately: true))
        #expect(device.refusal(.sign, guarded) == .locked)
        #expect(try device.enclave.ask(AskLoad()).contexts == EnclaveLimits.contexts)
    }

    @Test("the sensor is asked only where its answer matters") func sensor() throws {
        let device = try TestDevice.withFinger()
        let context = try Self.context(.passcode, device)
        let keys = try [[], .userPresence, .devicePasscode, .biometryAny].map { flags in
            try device.ownKey(flags as AccessControlFlags)
        }
        let before = device.sensor.surveys
        for key in keys.prefix(3) { #expect(device.refusal(.sign, key, with: context) == nil) }
        #expect(device.sensor.surveys == before)
        // A refusal says what is missing: a finger, if there is one.
        let answer = try device.enclave.ask(SignDigest(TestDevice.digest, with: keys[3].blob, context: context))
        guard case .lacks = answer else {
            Issue.record("a key that lacks a finger answered \(answer)")
            return
        }
        #expect(device.sensor.surveys == before + 1)
        for key in keys { #expect(try device.isGone(key) == nil) }
        #expect(device.sensor.surveys == before + 1)
    }
}
