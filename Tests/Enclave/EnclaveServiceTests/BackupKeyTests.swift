import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

/// Class keys of backups, asked of the enclave itself (`Docs/Formats/enclave-mailbox.md`, requests 24 to 27). On iOS: the backup
/// keybag of Apple's Platform Security.
@Suite("Class keys of backups") struct BackupKeyTests {
    private static let passwordKey = SecretBox(copying: [UInt8](repeating: 0x11, count: 32))
    /// Bound to the device in every backup: the recovery class, and items of ThisDeviceOnly classes.
    private static let bound: Set<UInt8> = [5, 9, 10, 11]

    private static func parameters(_ isEncrypted: Bool) -> BackupPasswordParameters {
        isEncrypted
            ? .encrypted(firstIterations: 10, entropy: SystemEntropy()) : .unencrypted(entropy: SystemEntropy())
    }

    private static func made(on device: TestDevice, encrypted: Bool = true) throws -> MadeBackupKeybag {
        try device.enclave.ask(
            MakeBackupKeybag(parameters(encrypted), passcodeKey: passwordKey, isEncrypted: encrypted)
        ).get()
    }

    private static func opened(_ keybag: [UInt8], on device: TestDevice) throws -> SealedBackupKeys {
        guard case .keys(let keys) = try device.enclave.ask(OpenBackupKeybag(keybag, passcodeKey: passwordKey)) else {
            throw Unexpected()
        }
        return keys
    }

    /// A key of a file or an item of a backup.
    private struct BackupKey {
        let classNumber: UInt8
        let key: SecretBox
        let wrapped: [UInt8]

        var question: UnwrapBackupKeys.Key { UnwrapBackupKeys.Key(classNumber: classNumber, bytes: wrapped) }
    }

    /// A key of each class.
    private static func keys(_ sealed: SealedBackupKeys, on device: TestDevice) throws -> [BackupKey] {
        let numbers = BackupClassKeys.classNumbers
        let made = try device.enclave.ask(CreateBackupKeys(sealed, classNumbers: numbers)).get()
        return zip(numbers, made).map { BackupKey(classNumber: $0, key: $1.key, wrapped: $1.wrapped) }
    }

    /// The classes whose keys open, and are the same.
    private static func opening(
        _ keys: [BackupKey], _ sealed: SealedBackupKeys, on device: TestDevice
    ) throws -> Set<UInt8> {
        let outcomes = try device.enclave.ask(UnwrapBackupKeys(sealed, keys.map(\.question)))
        var numbers: Set<UInt8> = []
        for (made, outcome) in zip(keys, outcomes) {
            if case .key(let key) = outcome, key.equals(made.key) { numbers.insert(made.classNumber) }
        }
        return numbers
    }

    @Test("a new keybag has eleven classes, each with new keys, and layers as on a phone", arguments: [true, false])
    func making(isEncrypted: Bool) throws {
        let device = try TestDevice()
        let (one, other) = (
            try Self.made(on: device, encrypted: isEncrypted), try Self.made(on: device, encrypted: isEncrypted)
        )
        #expect(one.keybag != other.keybag && one.keys.keybag != other.keys.keybag)
        let keybag = try Keybag(parsing: one.keybag)
        #expect(keybag.header.kind == .backup && keybag.header.uuid == one.keys.keybag)
        #expect(keybag.classKeys.map { UInt8($0.classNumber) }.sorted() == BackupClassKeys.classNumbers)
        #expect(one.keys.keys.map(\.classNumber) == BackupClassKeys.classNumbers)
        for key in keybag.classKeys {
            let number = UInt8(key.classNumber)
            let isBound = Self.bound.contains(number) || (!isEncrypted && (6...8).contains(number))
            #expect(key.wrapping == (isBound ? [.passcodeKey, .deviceKey] : .passcodeKey), "class \(number)")
        }
        // No class key is in the answer but wrapped.
        #expect(Set(one.keys.keys.map(\.bytes)).isDisjoint(with: keybag.classKeys.map(\.wrappedKey)))
    }

    @Test("what was sealed under a backup opens again on its device, in every class", arguments: [true, false])
    func sameDevice(isEncrypted: Bool) throws {
        let device = try TestDevice.withPasscode()
        let made = try Self.made(on: device, encrypted: isEncrypted)
        let keys = try Self.keys(made.keys, on: device)
        #expect(Set(keys.map(\.wrapped)).count == keys.count)
        let all = Set(BackupClassKeys.classNumbers)
        #expect(try Self.opening(keys, made.keys, on: device) == all)
        let later = try device.reopened()
        try later.expectDone(UnlockDevice(passcode("1234")))
        #expect(try Self.opening(keys, Self.opened(made.keybag, on: later), on: later) == all)
    }

    @Test("another device opens the portable classes alone", arguments: [true, false])
    func otherDevice(isEncrypted: Bool) throws {
        let (device, other) = (try TestDevice(), try TestDevice(seed: 2))
        let made = try Self.made(on: device, encrypted: isEncrypted)
        let keys = try Self.keys(made.keys, on: device)
        let portable: Set<UInt8> = isEncrypted ? [1, 2, 3, 4, 6, 7, 8] : [1, 2, 3, 4]
        #expect(try Self.opening(keys, Self.opened(made.keybag, on: other), on: other) == portable)
        // Keys that one device has sealed for itself do not open on the other.
        #expect(try Self.opening(keys, made.keys, on: other).isEmpty)
    }

    @Test("another key of a password opens nothing, and damaged or other keybags are refused")
    func wrongKeybags() throws {
        let device = try TestDevice()
        let made = try Self.made(on: device)
        let wrong = SecretBox(copying: [UInt8](repeating: 0x12, count: 32))
        guard case .wrongPassword = try device.enclave.ask(OpenBackupKeybag(made.keybag, passcodeKey: wrong)) else {
            throw Unexpected()
        }
        let system = try device.storedKeybag().bytes
        for bytes in [[], Array(made.keybag.dropLast()), system, [UInt8](repeating: 0, count: 100)] {
            guard
                case .refused(.damaged) = try device.enclave.ask(
                    OpenBackupKeybag(bytes, passcodeKey: Self.passwordKey))
            else { throw Unexpected() }
        }
        for count in [0, 16, 31, 33] {
            let key = SecretBox(copying: [UInt8](repeating: 1, count: count))
            guard case .malformed = try device.refusal(of: OpenBackupKeybag(made.keybag, passcodeKey: key)),
                case .malformed = try device.refusal(
                    of: MakeBackupKeybag(Self.parameters(true), passcodeKey: key, isEncrypted: true))
            else { throw Unexpected() }
        }
    }

    @Test("sealed keys are bound to keybag and class, and altered ones open nothing")
    func bindings() throws {
        let device = try TestDevice()
        let (made, other) = (try Self.made(on: device), try Self.made(on: device))
        let keys = try Self.keys(made.keys, on: device)
        // Under the identifier of another keybag.
        let moved = SealedBackupKeys(keybag: other.keys.keybag, keys: made.keys.keys)
        #expect(try Self.opening(keys, moved, on: device).isEmpty)
        // Each under the class of its neighbour.
        let numbers = made.keys.keys.map(\.classNumber)
        let turned = zip(made.keys.keys, numbers.dropFirst() + numbers.prefix(1)).map {
            SealedBackupKeys.Key(classNumber: $1, bytes: $0.bytes)
        }
        #expect(
            try Self.opening(keys, SealedBackupKeys(keybag: made.keys.keybag, keys: turned), on: device).isEmpty)
        for place in made.keys.keys[0].bytes.indices {
            var bytes = made.keys.keys[0].bytes
            bytes[place] ^= 1
            let altered = SealedBackupKeys(
                keybag: made.keys.keybag, keys: [.init(classNumber: numbers[0], bytes: bytes)])
            #expect(try device.enclave.ask(CreateBackupKeys(altered, classNumbers: [numbers[0]])).code == .damaged)
        }
        #expect(try device.enclave.ask(CreateBackupKeys(made.keys, classNumbers: [12])).code == .classKeyMissing)
        #expect(try device.enclave.ask(CreateBackupKeys(made.keys, classNumbers: [1, 0])).code == .classKeyMissing)
        // A key of one class does not open as one of another.
        let wrapped = keys.map { UnwrapBackupKeys.Key(classNumber: $0.classNumber % 11 + 1, bytes: $0.wrapped) }
        for outcome in try device.enclave.ask(UnwrapBackupKeys(made.keys, wrapped)) {
            guard case .refused(.damaged) = outcome else { throw Unexpected() }
        }
        for bytes in [[], [1], [UInt8](repeating: 1, count: 39), [UInt8](repeating: 1, count: 128)] {
            let key = UnwrapBackupKeys.Key(classNumber: 1, bytes: bytes)
            guard case .refused(.damaged) = try device.enclave.ask(UnwrapBackupKeys(made.keys, [key]))[0] else {
                throw Unexpected()
            }
        }
    }

    @Test("a locked device makes, opens and uses no keybag of a backup")
    func locked() throws {
        let device = try TestDevice.withPasscode()
        let made = try Self.made(on: device)
        let keys = try Self.keys(made.keys, on: device)
        try device.expectDone(LockDevice(immediately: true))
        let making = try device.enclave.ask(
            MakeBackupKeybag(Self.parameters(true), passcodeKey: Self.passwordKey, isEncrypted: true))
        #expect(throws: KeyRefusal.locked) { try making.get() }
        guard
            case .refused(.locked) = try device.enclave.ask(
                OpenBackupKeybag(made.keybag, passcodeKey: Self.passwordKey))
        else { throw Unexpected() }
        #expect(try device.enclave.ask(CreateBackupKeys(made.keys, classNumbers: [4])).code == .locked)
        #expect(try Self.opening(keys, made.keys, on: device).isEmpty)
        try device.expectDone(UnlockDevice(passcode("1234")))
        #expect(try Self.opening(keys, made.keys, on: device).count == keys.count)
    }

    @Test("at least one key and at most a batch at once", arguments: [0, EnclaveLimits.keysPerBatch + 1])
    func batches(count: Int) throws {
        let device = try TestDevice()
        let made = try Self.made(on: device)
        let numbers = [UInt8](repeating: 4, count: count)
        guard case .malformed = try device.refusal(of: CreateBackupKeys(made.keys, classNumbers: numbers)) else {
            throw Unexpected()
        }
        let keys = numbers.map { UnwrapBackupKeys.Key(classNumber: $0, bytes: [UInt8](repeating: 1, count: 40)) }
        let outcome = device.outcome(of: UnwrapBackupKeys(made.keys, keys))
        switch outcome {
        case .success: #expect(count == 0)
        case .failure(.malformed): #expect(count > 0)
        case .failure(let refusal): Issue.record("\(refusal)")
        }
    }
}
