import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

/// Secrets of a circle, which come from other devices and are wrapped for storing.
@Suite("Secrets of a circle") struct SyncKeyTests {
    private static let secret = SecretBox(copying: Array(50..<82))
    private static let binding = [UInt8](repeating: 7, count: EnclaveLimits.syncBindingByteCount)

    private static func wrapped(
        _ keyClass: KeyClass, on device: TestDevice
    ) throws -> Result<CreatedKey, KeyRefusal> {
        let question = WrapSyncKey(secret, under: keyClass, binding: binding)
        return try device.enclave.ask(question).map {
            CreatedKey(key: secret, wrapped: question.wrappedKey($0))
        }
    }

    @Test(
        "a secret is wrapped and unwrapped in exactly the states in which its class key works",
        arguments: [KeyClass.whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly],
        LockStateTableTests.Moment.allCases)
    func states(_ keyClass: KeyClass, at moment: LockStateTableTests.Moment) throws {
        let device = try TestDevice()
        let key = try Self.wrapped(keyClass, on: device).get()
        try device.bring(to: moment)
        let row = try #require(LockStateTableTests.table.first { $0.keyClass == keyClass })
        let expected: KeyRefusal? = row.opens.contains(moment) ? nil : .locked
        #expect(device.refusalToOpen(key) == expected)
        #expect(try Self.wrapped(keyClass, on: device).code == expected)
    }

    @Test("only the two classes of the device itself have them") func classes() throws {
        let device = try TestDevice.withPasscode()
        for keyClass in KeyClass.allCases {
            let outcome = device.outcome(of: WrapSyncKey(Self.secret, under: keyClass, binding: Self.binding))
            let asked = WrappedKey(
                keyClass: keyClass, use: .sync, binding: Self.binding, bytes: [UInt8](repeating: 1, count: 40))
            let fits = [.whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly].contains(keyClass)
            #expect(Self.isMalformed(outcome) == !fits, "\(keyClass)")
            #expect(Self.isMalformed(device.outcome(of: UnwrapKeys([asked]))) == !fits, "\(keyClass)")
        }
    }

    @Test("the binding and the secret have one length", arguments: [0, 48, 50])
    func lengths(count: Int) throws {
        let device = try TestDevice()
        let binding = [UInt8](repeating: 7, count: count)
        let keyClass = KeyClass.afterFirstUnlockThisDeviceOnly
        let secret = SecretBox(copying: [UInt8](repeating: 1, count: count))
        #expect(Self.isMalformed(device.outcome(of: WrapSyncKey(Self.secret, under: keyClass, binding: binding))))
        #expect(Self.isMalformed(device.outcome(of: WrapSyncKey(secret, under: keyClass, binding: Self.binding))))
        let asked = WrappedKey(
            keyClass: keyClass, use: .sync, binding: binding, bytes: [UInt8](repeating: 1, count: 40))
        #expect(Self.isMalformed(device.outcome(of: UnwrapKeys([asked]))))
    }

    @Test("the enclave makes none of them") func noneMade() throws {
        let device = try TestDevice()
        let question = CreateKeys(.whenUnlockedThisDeviceOnly, .sync, binding: Self.binding, count: 1)
        #expect(Self.isMalformed(device.outcome(of: question)))
    }

    @Test("a secret opens with no other binding, class or use, nor altered") func others() throws {
        let device = try TestDevice()
        let key = try Self.wrapped(.whenUnlockedThisDeviceOnly, on: device).get()
        #expect(device.refusalToOpen(key) == nil)
        func refusal(
            _ keyClass: KeyClass = .whenUnlockedThisDeviceOnly, _ use: KeyUse = .sync, binding: [UInt8]? = nil,
            bytes: [UInt8]? = nil
        ) -> KeyRefusal? {
            let wrapped = WrappedKey(
                keyClass: keyClass, use: use, binding: binding ?? Self.binding, bytes: bytes ?? key.wrapped.bytes)
            return device.refusalToOpen(CreatedKey(key: Self.secret, wrapped: wrapped))
        }
        #expect(refusal(.afterFirstUnlockThisDeviceOnly) == .damaged)
        #expect(refusal(.whenUnlockedThisDeviceOnly, .metadata) == .damaged)
        for index in Self.binding.indices {
            var other = Self.binding
            other[index] ^= 1
            #expect(refusal(binding: other) == .damaged)
        }
        for index in key.wrapped.bytes.indices {
            var altered = key.wrapped.bytes
            altered[index] ^= 1
            #expect(refusal(bytes: altered) == .damaged)
        }
    }

    @Test("a secret outlives changes of the passcode and a restart, and ends with an erase") func lives() throws {
        let device = try TestDevice()
        let keys = [
            try Self.wrapped(.whenUnlockedThisDeviceOnly, on: device).get(),
            try Self.wrapped(.afterFirstUnlockThisDeviceOnly, on: device).get(),
        ]
        try device.expectDone(SetPasscode(passcode("1234")))
        let reopened = try device.reopened()
        try reopened.expectDone(UnlockDevice(passcode("1234")))
        for key in keys { #expect(reopened.refusalToOpen(key) == nil) }
        try reopened.expectDone(EraseDevice(passcode: passcode("1234")))
        for key in keys { #expect(reopened.refusalToOpen(key) == .damaged) }
        let other = try TestDevice(seed: 2)
        for key in keys { #expect(other.refusalToOpen(key) == .damaged) }
    }

    private static func isMalformed(_ outcome: Result<any EnclaveAnswer, EnclaveRefusal>) -> Bool {
        if case .failure(.malformed) = outcome { true } else { false }
    }
}
