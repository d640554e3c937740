import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyKeybag
import Testing

/// The operations of the enclave's own keys in each lock state.
@Suite struct OwnKeyLockTests {
    typealias Moment = LockStateTableTests.Moment

    static let classes = LockStateTableTests.table.filter { $0.keyClass.protectionClass != nil }

    static let rules: [AccessControlFlags] = [
        [], .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
    ]

    private func reach(_ moment: Moment, _ device: TestDevice) throws {
        switch moment {
        case .noPasscode, .unlocked: break
        case .beforeFirstUnlock: device.enclave.restart()
        case .gracePeriod: try device.expectDone(LockDevice(immediately: false))
        case .locked: try device.expectDone(LockDevice(immediately: true))
        case .unlockedAgain:
            try device.expectDone(LockDevice(immediately: true))
            try device.expectDone(UnlockDevice(passcode("1234")))
        }
    }

    /// Everything that can be proved at a moment.
    private func context(_ moment: Moment, _ device: TestDevice) throws -> ContextIdentifier {
        guard moment == .noPasscode else {
            let context = try device.passcodeContext()
            device.sensor.give(.matched(.rightIndex))
            #expect(try device.match(for: context) == .matched(.rightIndex))
            try device.expectDone(SetApplicationPassword(passcode("app"), in: context))
            return context
        }
        let context = try device.openContext()
        try device.expectDone(SetApplicationPassword(passcode("app"), in: context))
        return context
    }

    @Test("a key is used, made, described and deleted as its class and rule say", arguments: classes, Moment.allCases)
    func table(_ row: LockStateTableTests.Row, at moment: Moment) throws {
        let protection = try #require(row.keyClass.protectionClass)
        let isMissing = row.keyClass == .whenPasscodeSetThisDeviceOnly && moment == .noPasscode
        let isOpen = row.opens.contains(moment)
        for rule in Self.rules {
            let device = try TestDevice(sensor: ScriptedSensor(.rightIndex))
            if moment != .noPasscode { try device.expectDone(SetPasscode(passcode("1234"))) }
            let isPossible = moment != .noPasscode || rule.isDisjoint(with: [.biometryAny, .biometryCurrentSet])
            var key: OwnKey?
            if !isMissing, isPossible {
                key = try device.ownKey(rule, protection, context: try context(moment, device))
            }
            try reach(moment, device)
            let context = try context(moment, device)

            let answer = try device.makeKey(rule, protection, context: context)
            switch answer {
            case .created: #expect(isOpen && isPossible)
            case .refused(.locked): #expect(!isOpen && !isMissing)
            case .refused(.classKeyMissing): #expect(isMissing)
            case .notBound(.passcodeNotSet): #expect(isOpen && !isPossible)
            default: Issue.record("making a key was answered with \(answer)")
            }

            guard let key else { continue }
            let isFulfilled = moment != .noPasscode || rule.isDisjoint(with: .conditions)
            let expected: KeyRefusal? = !isOpen ? .locked : isFulfilled ? nil : .authenticationNeeded
            for use in OwnKeyUse.allCases {
                #expect(device.refusal(use, key, with: context) == expected, "\(rule)")
            }
            #expect(try device.isGone(key) == nil)
            try device.delete(key)
            for use in OwnKeyUse.allCases { #expect(device.refusal(use, key, with: context) == .deleted) }
            #expect(try device.isGone(key) == .deleted)
        }
    }

    @Test("a key of the class that needs a passcode ends with the passcode, for ever") func passcodeRemoved() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey([], .whenPasscodeSetThisDeviceOnly)
        let other = try device.ownKey()
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == nil) }
        try device.expectDone(RemovePasscode(passcode("1234")))
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == .classKeyMissing) }
        #expect(try device.isGone(key) == .classKeyMissing)
        // Nothing to write down: it never opens again.
        try device.delete(key)
        #expect(try device.isGone(key) == .classKeyMissing)
        try device.expectDone(SetPasscode(passcode("1234")))
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == .damaged) }
        // Not damage: its class key ended, and the blob is this device's all the same.
        #expect(try device.isGone(key) == .classKeyMissing)
        #expect(device.refusal(.sign, other) == nil)
    }

    @Test("another passcode, a restart and another process change no key") func survives() throws {
        let device = try TestDevice.withPasscode()
        let keys = try [ProtectionClass.whenUnlocked, .whenPasscodeSetThisDeviceOnly, .always].map {
            try device.ownKey([], $0)
        }
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("5678")))
        for key in keys { #expect(device.refusal(.sign, key) == nil) }
        device.enclave.restart()
        #expect(keys.map { device.refusal(.sign, $0) } == [.locked, .locked, nil])
        let next = try device.reopened()
        #expect(keys.map { next.refusal(.sign, $0) } == [.locked, .locked, nil])
        try next.expectDone(UnlockDevice(passcode("5678")))
        for key in keys {
            #expect(next.refusal(.sign, key) == nil)
            #expect(try next.isGone(key) == nil)
        }
    }

    @Test("an erased device knows none of its keys", arguments: ProtectionClass.allCases.filter { $0 != .untilReboot })
    func erased(_ protection: ProtectionClass) throws {
        let device = try TestDevice.withPasscode()
        let key = try device.ownKey([], protection)
        #expect(device.refusal(.sign, key) == nil)
        try device.expectDone(EraseDevice(passcode: passcode("1234")))
        let expected: KeyRefusal = protection == .whenPasscodeSetThisDeviceOnly ? .classKeyMissing : .damaged
        for use in OwnKeyUse.allCases { #expect(device.refusal(use, key) == expected) }
        #expect(try device.isGone(key) == expected)
        try device.expectDone(SetPasscode(passcode("1234")))
        #expect(device.refusal(.sign, key) == .damaged)
    }
}
