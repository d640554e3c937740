import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveContract

@Suite struct EnclaveKeyBlobTests {
    static let identifier = EnclaveKeyIdentifier(Array(200..<216))!
    static let publicKey: [UInt8] = [4] + (0..<64).map { UInt8($0) }
    static let number = SecretBox(copying: Array(100..<132))
    static let classKey = SecretBox(copying: Array(0..<32))
    static let deviceKey = SecretBox(copying: Array(32..<64))
    static let passwordKey = SecretBox(copying: Array(64..<96))
    static let sealKey = SecretBox(copying: Array(96..<128))

    static func control(
        _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked
    ) throws -> AccessControl {
        let made = try AccessControl(protection: protection, flags: flags.union(.privateKeyUsage))
        return try #require(made.bound(to: EnrolmentSet(Array(0..<16))))
    }

    static func blob(_ control: AccessControl) throws -> EnclaveKeyBlob {
        let made = try EnclaveKeyBlob(
            identifier: identifier, publicKey: publicKey, secret: number, accessControl: control, classKey: classKey,
            deviceKey: deviceKey, sealKey: sealKey,
            passwordKey: control.needsApplicationPassword ? passwordKey : nil, entropy: SystemEntropy())
        return try #require(made)
    }

    static let rules: [AccessControlFlags] = [
        [], .userPresence, .biometryCurrentSet, .applicationPassword, [.devicePasscode, .applicationPassword],
        [.biometryAny, .devicePasscode, .or],
    ]

    private static func refusal(
        _ blob: EnclaveKeyBlob, classKey: SecretBox = classKey, deviceKey: SecretBox = deviceKey,
        passwordKey: SecretBox? = passwordKey
    ) -> KeyRefusal? {
        switch blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: passwordKey) {
        case .key(let found): found.equals(number) ? nil : .damaged
        case .refused(let refusal): refusal
        }
    }

    @Test("a blob is read as it was written, and its number opens", arguments: rules)
    func roundTrip(_ flags: AccessControlFlags) throws {
        for keyClass in KeyClass.keychainClasses {
            let protection = try #require(keyClass.protectionClass)
            let control = try Self.control(flags, protection)
            let made = try Self.blob(control)
            let read = try EnclaveKeyBlob(parsing: made.bytes)
            #expect(read == made)
            #expect(read.bytes == made.bytes)
            #expect(read.identifier == Self.identifier)
            #expect(read.keyClass == keyClass)
            #expect(read.publicKey == Self.publicKey)
            #expect(read.accessControl == control)
            #expect(read.isSealed(with: Self.sealKey))
            #expect(read.isGenuine(with: Self.classKey, deviceKey: Self.deviceKey))
            #expect(Self.refusal(read) == nil)
        }
    }

    @Test("a blob has exactly these bytes", arguments: [false, true]) func layout(hasPassword: Bool) throws {
        let control = try Self.control(hasPassword ? .applicationPassword : [])
        let head =
            [1, 6] + Array(200..<216) + Self.publicKey + [0, UInt8(control.serialised.count)] + control.serialised
        let label = Array("latchkey".utf8) + [4, 0, 0, 0, UInt8(head.count)] + head
        func wrapped(_ key: SecretBox, _ by: SecretBox) -> SecretBox {
            SecretBox(copying: AESKeyWrap.wrap(key, with: HMACSHA256.secret(over: label, key: by)))
        }
        let inner = hasPassword ? wrapped(Self.number, Self.passwordKey) : Self.number
        let outer = wrapped(wrapped(inner, Self.deviceKey), Self.classKey)
        #expect(outer.count == (hasPassword ? 56 : 48))
        let seal = HMACSHA256.code(over: Array("latchkey enclave key\0".utf8) + head, key: Self.sealKey)
        #expect(seal.count == 32)
        #expect(try Self.blob(control).bytes == head + seal + outer.withBytes { Array($0) })
    }

    @Test("another class key, device or password does not open it, and a wrong password is told from damage")
    func otherKeys() throws {
        let other = SecretBox(copying: [UInt8](repeating: 1, count: 32))
        for flags in Self.rules {
            let blob = try Self.blob(try Self.control(flags))
            let hasPassword = flags.contains(.applicationPassword)
            #expect(Self.refusal(blob, classKey: other) == .damaged)
            #expect(Self.refusal(blob, deviceKey: other) == .damaged)
            #expect(Self.refusal(blob, classKey: Self.deviceKey, deviceKey: Self.classKey) == .damaged)
            for key in [other, Self.classKey, Self.deviceKey] { #expect(!blob.isSealed(with: key)) }
            #expect(!blob.isGenuine(with: other, deviceKey: Self.deviceKey))
            #expect(!blob.isGenuine(with: Self.classKey, deviceKey: other))
            #expect(Self.refusal(blob, passwordKey: other) == (hasPassword ? .wrongApplicationPassword : nil))
            #expect(Self.refusal(blob, passwordKey: nil) == (hasPassword ? .authenticationNeeded : nil))
        }
    }

    @Test("altered at any bit it cannot be parsed, or its seal is broken, or it opens no more", arguments: rules)
    func altered(_ flags: AccessControlFlags) throws {
        let original = try Self.blob(try Self.control(flags))
        let bytes = original.bytes
        let seal = original.head.count..<original.head.count + 32
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                guard let blob = try? EnclaveKeyBlob(parsing: changed) else { continue }
                #expect(blob.bytes == changed)
                // The seal tells what is in the clear without any class key, the wrapping tells that and the number.
                #expect(blob.isSealed(with: Self.sealKey) == (index >= seal.upperBound), "byte \(index)")
                guard !seal.contains(index) else { continue }
                #expect(!blob.isGenuine(with: Self.classKey, deviceKey: Self.deviceKey), "byte \(index)")
                #expect(Self.refusal(blob) == .damaged, "byte \(index)")
            }
        }
    }

    @Test("cut off or longer it cannot be parsed") func lengths() throws {
        for flags in Self.rules {
            let bytes = try Self.blob(try Self.control(flags)).bytes
            for count in bytes.indices {
                #expect(throws: EnclaveKeyBlobFailure.self) { _ = try EnclaveKeyBlob(parsing: Array(bytes[..<count])) }
            }
            for more in [1, 7, 8, 16] {
                #expect(throws: EnclaveKeyBlobFailure.self) {
                    _ = try EnclaveKeyBlob(parsing: bytes + [UInt8](repeating: 0, count: more))
                }
            }
        }
    }

    static let failures: [(Int, UInt8, EnclaveKeyBlobFailure)] = [
        (0, 0, .unknownVersion(0)), (0, 3, .unknownVersion(3)), (1, 5, .badValue(field: "class", found: 5)),
        (1, 13, .badValue(field: "class", found: 13)), (1, 1, .badAccessControl), (1, 7, .badAccessControl),
        (18, 2, .badValue(field: "public key", found: 2)), (83, 0xFF, .truncated), (84, 0, .badAccessControl),
        (85, 0x30, .badAccessControl),
    ]

    @Test("what is wrong with bytes is said", arguments: failures)
    func failure(_ place: Int, _ value: UInt8, _ failure: EnclaveKeyBlobFailure) throws {
        var bytes = try Self.blob(try Self.control()).bytes
        bytes[place] = value
        #expect(throws: failure) { _ = try EnclaveKeyBlob(parsing: bytes) }
    }

    @Test("nothing and far too much is refused at once") func sizes() {
        #expect(throws: EnclaveKeyBlobFailure.truncated) { _ = try EnclaveKeyBlob(parsing: []) }
        #expect(throws: EnclaveKeyBlobFailure.tooLarge(field: "blob", found: 4097, limit: 4096)) {
            _ = try EnclaveKeyBlob(parsing: [UInt8](repeating: 1, count: 4097))
        }
    }

    @Test("no key has an access control that is not bound, not for private keys, or without a class key")
    func accessControls() throws {
        let unbound = try AccessControl(protection: .whenUnlocked, flags: [.privateKeyUsage, .devicePasscode])
        let others = [unbound, AccessControl(protection: .whenUnlocked), try Self.control([], .untilReboot)]
        let good = try Self.blob(try Self.control()).bytes
        for control in others {
            let made = try EnclaveKeyBlob(
                identifier: Self.identifier, publicKey: Self.publicKey, secret: Self.number, accessControl: control,
                classKey: Self.classKey, deviceKey: Self.deviceKey, sealKey: Self.sealKey, passwordKey: nil,
                entropy: SystemEntropy())
            #expect(made == nil)
            let bytes =
                Array(good[..<83]) + [0, UInt8(control.serialised.count)] + control.serialised + Array(good.suffix(80))
            #expect(throws: EnclaveKeyBlobFailure.badAccessControl) { _ = try EnclaveKeyBlob(parsing: bytes) }
        }
    }

    @Test("random bytes are never a crash, and what is read is written as the same bytes", arguments: 0..<8)
    func hostile(seed: UInt64) throws {
        var state = seed &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let blobs = try Self.rules.map { try Self.blob(try Self.control($0)).bytes }
        for _ in 0..<2000 {
            var bytes = blobs[random(blobs.count)]
            for _ in 0...random(4) where !bytes.isEmpty {
                let place = random(bytes.count)
                switch random(4) {
                case 0: bytes[place] = UInt8(random(256))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8(random(256)), at: place)
                default: bytes.removeLast(random(bytes.count))
                }
            }
            if let blob = try? EnclaveKeyBlob(parsing: bytes) { #expect(blob.bytes == bytes, "seed \(seed)") }
        }
    }
}
