import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

/// Keys of protected files. When the classes open is in the table of ``LockStateTableTests``.
@Suite("Keys of files") struct FileKeyTests {
    @Test("a batch has a key for each file, each another one, and all open together")
    func batches() throws {
        let device = try TestDevice()
        for protection in FileProtection.allCases {
            let files = (0..<256).map { TestDevice.identifier(UInt8($0)) }
            let made = try device.enclave.ask(MakeFileKeys(protection, for: files)).get()
            #expect(made.count == files.count)
            #expect(Set(made.map(\.wrapped)).count == files.count)
            let wrapped = try zip(made, files).map { try #require(WrappedFileKey($0.wrapped, of: $1, protection)) }
            let opened = try device.enclave.ask(UnwrapKeys(wrapped.map(\.wrappedKey)))
            #expect(opened.count == files.count)
            for (key, outcome) in zip(made, opened) {
                guard case .key(let opened) = outcome else { throw Unexpected() }
                #expect(opened.equals(key.key))
            }
        }
    }

    @Test("no key and more than 256 keys are malformed", arguments: [0, 257])
    func batchLimits(count: Int) throws {
        let device = try TestDevice()
        let files = [FileIdentifier](repeating: TestDevice.file, count: count)
        guard case .malformed = try device.refusal(of: MakeFileKeys(.none, for: files)) else { throw Unexpected() }
    }

    @Test("a key opens for no other file, class or use", arguments: FileProtection.allCases)
    func otherBindings(_ protection: FileProtection) throws {
        let device = try TestDevice()
        let key = try device.createFileKey(protection).get()
        #expect(device.refusalToOpen(key) == nil)
        func outcome(_ keyClass: KeyClass, _ binding: [UInt8], _ bytes: [UInt8]? = nil) throws -> KeyOutcome {
            let wrapped = WrappedKey(
                keyClass: keyClass, use: .file, binding: binding, bytes: bytes ?? key.wrapped.bytes)
            return try device.enclave.ask(UnwrapKeys([wrapped]))[0]
        }
        func expectDamaged(_ outcome: KeyOutcome) {
            if case .refused(.damaged) = outcome { return }
            Issue.record("\(outcome)")
        }
        expectDamaged(try outcome(protection.keyClass, TestDevice.identifier(8).bytes))
        for other in FileProtection.allCases where other != protection {
            expectDamaged(try outcome(other.keyClass, TestDevice.file.bytes))
        }
        for index in key.wrapped.bytes.indices {
            var altered = key.wrapped.bytes
            altered[index] ^= 1
            expectDamaged(try outcome(protection.keyClass, TestDevice.file.bytes, altered))
        }
        // The same bytes as the key of an item, which the class cannot have.
        let asItem = WrappedKey(
            keyClass: protection.keyClass, use: .item, binding: TestDevice.file.bytes, bytes: key.wrapped.bytes)
        guard case .malformed = try device.refusal(of: UnwrapKeys([asItem])) else { throw Unexpected() }
    }

    @Test("classes of files have keys of files alone, and classes of items have none")
    func classesAndUses() throws {
        let device = try TestDevice()
        for keyClass in KeyClass.allCases {
            for use in KeyUse.allCases where ![.signing, .backup, .escrow, .sync].contains(use) {
                let binding = use == .file ? TestDevice.file.bytes : []
                let wrapped = WrappedKey(
                    keyClass: keyClass, use: use, binding: binding, bytes: [UInt8](repeating: 1, count: 40))
                let fits = (use == .file) == (keyClass.fileProtection != nil)
                let opening = device.outcome(of: UnwrapKeys([wrapped]))
                let creation = device.outcome(of: CreateKeys(keyClass, use, binding: binding, count: 1))
                #expect(Self.isMalformed(opening) == !fits, "\(keyClass) \(use)")
                // Keys of files are made by their own question.
                #expect(Self.isMalformed(creation) == (!fits || use == .file), "\(keyClass) \(use)")
            }
        }
    }

    @Test("the binding of a file's key has the length of an identifier", arguments: [0, 15, 17])
    func identifierLength(count: Int) throws {
        let device = try TestDevice()
        let wrapped = WrappedKey(
            keyClass: .fileNone, use: .file, binding: [UInt8](repeating: 7, count: count),
            bytes: [UInt8](repeating: 1, count: 40))
        #expect(Self.isMalformed(device.outcome(of: UnwrapKeys([wrapped]))))
    }

    @Test("a rewrapped key is the same key under the other class, and the first form still opens")
    func rewrapping() throws {
        let device = try TestDevice()
        for from in FileProtection.allCases {
            let key = try device.createFileKey(from).get()
            for to in FileProtection.allCases {
                let rewrapped = try device.rewrap(key, to: to).get()
                #expect(device.refusalToOpen(rewrapped) == nil, "\(from) \(to)")
                #expect(device.refusalToOpen(key) == nil)
                // RFC 3394 is deterministic, class B has a random part.
                #expect((rewrapped.wrapped == key.wrapped) == (from == to && from != .completeUnlessOpen))
            }
        }
    }

    @Test("an altered key, and that of another file, are not rewrapped", arguments: FileProtection.allCases)
    func rewrappingOthers(_ protection: FileProtection) throws {
        let device = try TestDevice()
        let key = try device.createFileKey(protection).get()
        let other = WrappedKey(
            keyClass: protection.keyClass, use: .file, binding: TestDevice.identifier(8).bytes,
            bytes: key.wrapped.bytes)
        #expect(device.rewrap(CreatedKey(key: key.key, wrapped: other), to: .none).code == .damaged)
        var bytes = key.wrapped.bytes
        bytes[bytes.count - 1] ^= 1
        let altered = WrappedKey(
            keyClass: protection.keyClass, use: .file, binding: key.wrapped.binding, bytes: bytes)
        #expect(device.rewrap(CreatedKey(key: key.key, wrapped: altered), to: .none).code == .damaged)
    }

    /// The classes whose keys can be rewrapped in a state, from one to the other.
    private static let rewrapped: [LockStateTableTests.Moment: @Sendable (FileProtection, FileProtection) -> Bool] = [
        .unlocked: { _, _ in true },
        .gracePeriod: { _, _ in true },
        .unlockedAgain: { _, _ in true },
        .noPasscode: { _, _ in true },
        .locked: { from, to in
            [.completeUntilFirstUserAuthentication, .none].contains(from)
                && [.completeUnlessOpen, .completeUntilFirstUserAuthentication, .none].contains(to)
        },
        .beforeFirstUnlock: { from, to in
            from == .none && [.completeUnlessOpen, .none].contains(to)
        },
    ]

    @Test(
        "a key is rewrapped in exactly the states in which it opens and the other class takes keys",
        arguments: LockStateTableTests.Moment.allCases)
    func rewrappingByState(at moment: LockStateTableTests.Moment) throws {
        let device = try TestDevice()
        let keys = try FileProtection.allCases.map { ($0, try device.createFileKey($0).get()) }
        try device.bring(to: moment)
        let isPossible = try #require(Self.rewrapped[moment])
        for (from, key) in keys {
            for to in FileProtection.allCases {
                let expected: KeyRefusal? = isPossible(from, to) ? nil : .locked
                #expect(device.rewrap(key, to: to).code == expected, "\(from) to \(to)")
            }
        }
    }

    @Test("a file of class B that was made while the device was locked opens once it is unlocked")
    func madeWhileLocked() throws {
        for moment in [LockStateTableTests.Moment.locked, .beforeFirstUnlock] {
            let device = try TestDevice()
            try device.bring(to: moment)
            let key = try device.createFileKey(.completeUnlessOpen).get()
            #expect(device.refusalToOpen(key) == .locked)
            try device.expectDone(UnlockDevice(passcode("1234")))
            #expect(device.refusalToOpen(key) == nil)
        }
    }

    @Test("keys of files outlive every change of the passcode and a restart, and end with an erase")
    func lives() throws {
        let device = try TestDevice()
        let keys = try FileProtection.allCases.map { try device.createFileKey($0).get() }
        func expectOpen(_ device: TestDevice) {
            for key in keys { #expect(device.refusalToOpen(key) == nil, "\(key.wrapped.keyClass)") }
        }
        try device.expectDone(SetPasscode(passcode("1234")))
        expectOpen(device)
        try device.expectDone(ChangePasscode(from: passcode("1234"), to: passcode("another")))
        expectOpen(device)
        let reopened = try device.reopened()
        try reopened.expectDone(UnlockDevice(passcode("another")))
        expectOpen(reopened)
        try reopened.expectDone(RemovePasscode(passcode("another")))
        expectOpen(reopened)
        try reopened.expectDone(EraseDevice(passcode: nil))
        for key in keys {
            #expect(reopened.refusalToOpen(key) == .damaged)
            #expect(reopened.rewrap(key, to: .none).code == .damaged)
        }
    }

    @Test("another device opens no key") func otherDevice() throws {
        let (one, other) = (try TestDevice(seed: 1), try TestDevice(seed: 2))
        for protection in FileProtection.allCases {
            let key = try one.createFileKey(protection).get()
            #expect(other.refusalToOpen(key) == .damaged)
            #expect(other.rewrap(key, to: protection).code == .damaged)
        }
    }

    private static func isMalformed(_ outcome: Result<any EnclaveAnswer, EnclaveRefusal>) -> Bool {
        if case .failure(.malformed) = outcome { true } else { false }
    }
}
