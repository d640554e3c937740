import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// The uses of a host's keybag, and their end. On iOS: the escrow keybag of Apple's Platform Security.
@Suite("Hosts that need no passcode") struct EscrowTests {
    private static let code = passcode("1234")

    private static func device(seed: UInt64 = 1) throws -> TestDevice {
        let device = try TestDevice(seed: seed)
        try device.enclave.ask(SetPasscode(code))
        return device
    }

    /// A key of each class but that of the passcode.
    private static func keys(_ device: TestDevice) throws -> [WrappedKey] {
        try KeyClass.keychainClasses.filter { $0 != .whenPasscodeSetThisDeviceOnly }.map { keyClass in
            let made = try device.enclave.ask(CreateKey(keyClass, .metadata)).get()
            return WrappedKey(keyClass: keyClass, use: .metadata, binding: [], bytes: made.wrapped)
        }
    }

    private static func context(_ device: TestDevice, _ made: MadeEscrow) throws -> ContextIdentifier? {
        if case .opened(let context) = try device.enclave.ask(OpenEscrow(made.keybag.bytes, made.sealedKey)) {
            return context
        }
        return nil
    }

    private static func refusals(
        _ device: TestDevice, _ keys: [WrappedKey], _ context: ContextIdentifier?
    ) throws -> [KeyClass] {
        try zip(keys, device.enclave.ask(UnwrapKeys(keys, context: context))).compactMap { key, outcome in
            if case .key = outcome { nil } else { key.keyClass }
        }
    }

    private static let lockedClasses: [KeyClass] = [.whenUnlocked, .whenUnlockedThisDeviceOnly]

    @Test("needs the passcode, and one that is set")
    func making() throws {
        let device = try TestDevice()
        #expect(throws: EnclaveRefusal.noPasscodeSet) { try device.enclave.ask(MakeEscrow(passcode: Self.code)) }
        try device.enclave.ask(SetPasscode(Self.code))
        #expect(throws: EnclaveRefusal.wrongPasscode(attemptsLeft: 9)) {
            try device.enclave.ask(MakeEscrow(passcode: passcode("0000")))
        }
        // Also while locked, for the passcode opens every class.
        try device.enclave.ask(LockDevice(immediately: true))
        let made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        let keybag = made.keybag
        #expect(keybag.header.kind == .escrow)
        #expect(keybag.classKeys.compactMap(\.keyClass).map(\.rawValue) == [1, 2, 3, 6, 7, 9, 10])
        #expect(keybag.classKeys.allSatisfy { $0.wrapping.contains(.passcodeKey) })
    }

    @Test("opens every class of a locked device for its context alone")
    func use() throws {
        let device = try Self.device()
        let keys = try Self.keys(device)
        let made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        try device.enclave.ask(LockDevice(immediately: true))
        #expect(try Self.refusals(device, keys, nil) == Self.lockedClasses)
        let context = try #require(try Self.context(device, made))
        #expect(try Self.refusals(device, keys, context).isEmpty)
        #expect(try Self.refusals(device, keys, nil) == Self.lockedClasses)
        // The device is as locked as before, for everyone else and for people.
        #expect(try device.enclave.ask(AskStatus()).lockState == .locked)
        for keyClass in Self.lockedClasses {
            _ = try device.enclave.ask(CreateKey(keyClass, .metadata, context: context)).get()
            #expect(throws: KeyRefusal.locked) { try device.enclave.ask(CreateKey(keyClass, .metadata)).get() }
        }
        _ = try device.enclave.ask(MakeFileKeys(.complete, for: [TestDevice.file], context: context)).get()
        _ = try device.enclave.ask(CloseContext(context))
        #expect(try Self.refusals(device, keys, context) == Self.lockedClasses)
    }

    @Test("a context of a host does not show a user's presence, and has no key that ends with the passcode")
    func noPresence() throws {
        let device = try Self.device()
        let control = try #require(
            AccessControl(protection: .whenUnlocked, flags: .userPresence).bound(to: nil))
        let guarded = try device.enclave.ask(
            CreateKeys(ofItems: .whenUnlocked, under: control, count: 1)
        ).get()[0]
        let bound = try device.enclave.ask(CreateKey(.whenPasscodeSetThisDeviceOnly, .metadata)).get()
        let made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        try device.enclave.ask(LockDevice(immediately: true))
        let context = try #require(try Self.context(device, made))
        let keys = [
            WrappedKey(keyClass: .whenUnlocked, use: .item, binding: control.serialised, bytes: guarded.wrapped),
            WrappedKey(
                keyClass: .whenPasscodeSetThisDeviceOnly, use: .metadata, binding: [], bytes: bound.wrapped),
        ]
        let outcomes = try device.enclave.ask(UnwrapKeys(keys, context: context))
        guard case .refused(.authenticationNeeded) = outcomes[0], case .refused(.locked) = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test("each half is of no use with another one")
    func halves() throws {
        let device = try Self.device()
        let one = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        let two = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        let other = try Self.device(seed: 2)
        let foreign = try other.enclave.ask(MakeEscrow(passcode: Self.code))
        func opened(_ keybag: [UInt8], _ key: SealedEscrowKey) throws -> OpenedEscrow {
            try device.enclave.ask(OpenEscrow(keybag, key))
        }
        #expect(try opened(one.keybag.bytes, two.sealedKey) == .over)
        #expect(try opened(foreign.keybag.bytes, foreign.sealedKey) == .over)
        #expect(try opened(foreign.keybag.bytes, one.sealedKey) == .over)
        for index in one.keybag.bytes.indices {
            var altered = one.keybag.bytes
            altered[index] ^= 1
            let answer = try opened(altered, one.sealedKey)
            // An altered identifier of a class key, or its generation, opens the same keys; no other ones.
            if case .opened(let context) = answer { _ = try device.enclave.ask(CloseContext(context)) }
            #expect(answer != .passcodeNeeded && answer != .tooMany)
        }
        for bytes in [[], [0], Array(one.keybag.bytes.dropLast()), [UInt8](repeating: 0xFF, count: 4096)] {
            #expect(try opened(bytes, one.sealedKey) == .over)
        }
    }

    @Test("serves from the first unlock on, and not after a remote lock until the passcode was given")
    func firstUnlock() throws {
        let device = try Self.device()
        let made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        let question = OpenEscrow(made.keybag.bytes, made.sealedKey)
        device.enclave.restart()
        #expect(try device.enclave.ask(question) == .passcodeNeeded)
        try device.enclave.ask(UnlockDevice(Self.code))
        let keys = try Self.keys(device)
        try device.enclave.ask(LockDevice(immediately: true))
        let context = try #require(try Self.context(device, made))
        _ = try device.enclave.ask(LockRemotely())
        #expect(try Self.refusals(device, keys, context) == Self.lockedClasses)
        #expect(try device.enclave.ask(question) == .passcodeNeeded)
        try device.enclave.ask(UnlockDevice(Self.code))
        try device.enclave.ask(LockDevice(immediately: true))
        #expect(try Self.context(device, made) != nil)
        #expect(try Self.refusals(device, keys, context) == Self.lockedClasses)
    }

    @Test("ends with the passcode, a restart, an erase, and ten minutes without use")
    func ends() throws {
        let device = try Self.device()
        let keys = try Self.keys(device)
        var made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        try device.enclave.ask(LockDevice(immediately: true))
        var context = try #require(try Self.context(device, made))
        device.clock.advance(by: 599)
        #expect(try Self.refusals(device, keys, context).isEmpty)
        device.clock.advance(by: 599)
        #expect(try Self.refusals(device, keys, context).isEmpty)
        // The timer wipes the keys although no program asks.
        #expect(device.enclave.secondsUntilTimer() == 600)
        device.clock.advance(by: 600)
        device.enclave.clockMoved()
        #expect(device.enclave.secondsUntilTimer() == nil)
        #expect(try Self.refusals(device, keys, context) == Self.lockedClasses)

        context = try #require(try Self.context(device, made))
        let new = passcode("5678")
        try device.enclave.ask(ChangePasscode(from: Self.code, to: new))
        #expect(try Self.refusals(device, keys, context) == Self.lockedClasses)
        #expect(try device.enclave.ask(OpenEscrow(made.keybag.bytes, made.sealedKey)) == .over)
        made = try device.enclave.ask(MakeEscrow(passcode: new))
        context = try #require(try Self.context(device, made))
        device.enclave.restart()
        #expect(try Self.refusals(device, keys, context).count == 4)
        try device.enclave.ask(RemovePasscode(new))
        #expect(try device.enclave.ask(OpenEscrow(made.keybag.bytes, made.sealedKey)) == .over)
        try device.enclave.ask(SetPasscode(Self.code))
        #expect(try device.enclave.ask(OpenEscrow(made.keybag.bytes, made.sealedKey)) == .over)
        made = try device.enclave.ask(MakeEscrow(passcode: Self.code))
        try device.enclave.ask(EraseDevice(passcode: Self.code))
        #expect(try device.enclave.ask(OpenEscrow(made.keybag.bytes, made.sealedKey)) == .over)
    }
}
