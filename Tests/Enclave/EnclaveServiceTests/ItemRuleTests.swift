import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import Testing

/// Keys of items that need a person.
@Suite struct ItemRuleTests {
    static let rules: [AccessControlFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, [.biometryAny, .devicePasscode],
        [.biometryCurrentSet, .devicePasscode, .or], .applicationPassword,
        [.biometryCurrentSet, .applicationPassword], [.userPresence, .applicationPassword],
    ]

    /// A context that was proved everything.
    private func fullContext(_ device: TestDevice) throws -> ContextIdentifier {
        let context = try device.matchedContext()
        try device.expectDone(OfferPasscode(passcode("1234"), to: context))
        try device.expectDone(SetApplicationPassword(passcode("app"), in: context))
        return context
    }

    @Test("a key opens with everything proved, and with nothing not", arguments: rules)
    func opens(_ flags: AccessControlFlags) throws {
        let device = try TestDevice.withFinger()
        let context = try fullContext(device)
        let item = try device.item(flags, context: context)
        #expect(device.refusalToOpen(item, with: context) == nil)
        #expect(device.refusalToOpen(item, with: nil) == .authenticationNeeded)
        #expect(device.refusalToOpen(item, with: try device.openContext()) == .authenticationNeeded)
        let never = try #require(ContextIdentifier([UInt8](repeating: 3, count: 16)))
        #expect(device.refusalToOpen(item, with: never) == .authenticationNeeded)
        try device.expectDone(CloseContext(context))
        #expect(device.refusalToOpen(item, with: context) == .authenticationNeeded)
    }

    @Test("each byte of a stored rule altered, whatever was proved, and the key is lost", arguments: rules)
    func altered(_ flags: AccessControlFlags) throws {
        let device = try TestDevice.withFinger()
        let context = try fullContext(device)
        let item = try device.item(flags, context: context)
        for index in item.wrapped.binding.indices {
            for bit in 0..<8 {
                var binding = item.wrapped.binding
                binding[index] ^= 1 << UInt8(bit)
                #expect(device.refusalToOpen(item, with: context, binding: binding) == .damaged)
                #expect(device.refusalToOpen(item, with: nil, binding: binding) == .damaged)
            }
        }
        // A rule that asks for less, or for nothing, in place of the item's.
        let weaker = try [
            [], AccessControl(protection: .whenUnlocked).serialised, device.bound(.devicePasscode).serialised,
            device.bound(.biometryAny).serialised, device.bound(.userPresence).serialised,
        ]
        for binding in weaker where binding != item.wrapped.binding {
            #expect(device.refusalToOpen(item, with: context, binding: binding) == .damaged)
        }
        #expect(device.refusalToOpen(item, with: context) == nil)
    }

    @Test("a wrong application password is told from damage and from a missing one") func applicationPassword() throws {
        let device = try TestDevice.withFinger()
        let context = try fullContext(device)
        let item = try device.item(.applicationPassword, context: context)
        let other = try device.openContext()
        #expect(device.refusalToOpen(item, with: other) == .authenticationNeeded)
        try device.expectDone(SetApplicationPassword(passcode("App"), in: other))
        #expect(device.refusalToOpen(item, with: other) == .wrongApplicationPassword)
        try device.expectDone(SetApplicationPassword(passcode(""), in: other))
        #expect(device.refusalToOpen(item, with: other) == .wrongApplicationPassword)
        try device.expectDone(SetApplicationPassword(passcode("app"), in: other))
        #expect(device.refusalToOpen(item, with: other) == nil)
        try device.expectDone(SetApplicationPassword(nil, in: other))
        #expect(device.refusalToOpen(item, with: other) == .authenticationNeeded)

        var bytes = item.wrapped.bytes
        bytes[20] ^= 1
        let damaged = CreatedKey(
            key: item.key,
            wrapped: WrappedKey(
                keyClass: .whenUnlocked, use: .item, binding: item.wrapped.binding, bytes: bytes))
        #expect(device.refusalToOpen(damaged, with: context) == .damaged)
        // Not even a restart changes what a password opens.
        let later = try device.reopened()
        try later.expectDone(UnlockDevice(passcode("1234")))
        let again = try later.openContext()
        try later.expectDone(SetApplicationPassword(passcode("app"), in: again))
        #expect(later.refusalToOpen(item, with: again) == nil)
    }

    @Test("an application password is needed to make a key, and its length is limited") func making() throws {
        let device = try TestDevice.withFinger()
        let binding = try device.bound(.applicationPassword).serialised
        let context = try device.openContext()
        for context in [nil, context] {
            let question = CreateKeys(.whenUnlocked, .item, binding: binding, count: 1, context: context)
            guard case .failure(.authenticationNeeded) = try device.enclave.ask(question) else {
                throw Unexpected()
            }
        }
        let long = passcode(String(repeating: "x", count: 4097))
        guard case .malformed = try device.refusal(of: SetApplicationPassword(long, in: context)) else {
            throw Unexpected()
        }
        #expect(
            try device.verdict(on: .accessControl(AccessControl(serialised: binding), .encrypt), in: context)
                == .needs(.applicationPassword))
    }

    @Test("the password of a restarted device is asked again") func restarted() throws {
        let device = try TestDevice.withFinger()
        let context = try fullContext(device)
        let item = try device.item(.applicationPassword, keyClass: .always, context: context)
        device.enclave.restart()
        #expect(device.refusalToOpen(item, with: context) == .authenticationNeeded)
    }

    static let unboundOrForeign: [[UInt8]] = [
        [1], [UInt8](repeating: 0x31, count: 40), AccessControl(protection: .always).serialised,
        AccessControl(protection: .untilReboot).serialised,
        (try? AccessControl(protection: .whenUnlocked, flags: .devicePasscode).serialised) ?? [],
        (try? AccessControl(protection: .whenUnlocked, flags: .biometryCurrentSet).serialised) ?? [],
        (try? AccessControl(protection: .always, flags: .devicePasscode).bound(to: nil)?.serialised) ?? [],
    ]

    @Test("no key is made for a rule that is invalid, not bound, or of another class", arguments: unboundOrForeign)
    func notMade(_ binding: [UInt8]) throws {
        let device = try TestDevice.withFinger()
        guard
            case .malformed = try device.refusal(of: CreateKey(.whenUnlocked, .item, binding: binding))
        else { throw Unexpected() }
        let item = try device.create(.whenUnlocked).get()
        #expect(device.refusalToOpen(item, with: nil, binding: binding) == .damaged)
    }

    @Test("the class key comes first") func classKeyFirst() throws {
        let device = try TestDevice.withFinger()
        let context = try fullContext(device)
        let bound = try device.item(.devicePasscode, keyClass: .whenPasscodeSetThisDeviceOnly)
        let item = try device.item(.biometryCurrentSet)
        try device.expectDone(LockDevice(immediately: true))
        #expect(device.refusalToOpen(item, with: nil) == .locked)
        #expect(device.refusalToOpen(bound, with: context) == .locked)
        device.sensor.enroll(.leftThumb)
        #expect(device.refusalToOpen(item, with: context) == .locked)
        try device.expectDone(RemovePasscode(passcode("1234")))
        #expect(device.refusalToOpen(bound, with: context) == .classKeyMissing)
    }

    @Test("without a passcode no condition can be fulfilled; what needs none still opens") func noPasscode() throws {
        let device = try TestDevice.withFinger()
        let free = try device.create(.whenUnlocked).get()
        let items = try [AccessControlFlags.userPresence, .devicePasscode, .biometryAny].map { try device.item($0) }
        let context = try fullContext(device)
        try device.expectDone(RemovePasscode(passcode("1234")))
        #expect(device.refusalToOpen(free, with: nil) == nil)
        for item in items {
            #expect(device.refusalToOpen(item, with: context) == .authenticationNeeded)
            #expect(
                try device.verdict(
                    on: .accessControl(AccessControl(serialised: item.wrapped.binding), .decrypt), in: context)
                    == .refused(.passcodeNotSet))
        }
        let passcodeItem = try device.item(.devicePasscode)
        #expect(device.refusalToOpen(passcodeItem, with: context) == .authenticationNeeded)
        let control = try AccessControl(protection: .whenUnlocked, flags: .biometryAny)
        #expect(try device.enclave.ask(BindAccessControl(control)) == .notBound(.passcodeNotSet))
    }

    @Test("a batch is judged key by key") func batch() throws {
        let device = try TestDevice.withFinger()
        let context = try device.passcodeContext()
        let items = try [[], .devicePasscode, .biometryAny, .userPresence, .devicePasscode].map {
            try device.item($0 as AccessControlFlags)
        }
        let wrapped = items.map(\.wrapped) + [items[1].wrapped]
        let outcomes = try device.enclave.ask(UnwrapKeys(wrapped, context: context))
        let refusals = outcomes.map { outcome -> KeyRefusal? in
            if case .refused(let refusal) = outcome { refusal } else { nil }
        }
        #expect(refusals == [nil, nil, .authenticationNeeded, nil, nil, nil])
    }
}
