import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveContract

/// Blobs of keys that are not of P-256.
@Suite struct EnclaveKeyKindTests {
    typealias Blobs = EnclaveKeyBlobTests

    static let kinds = EnclaveKeyKind.allCases.filter { $0 != .p256 }

    private static func publicKey(_ kind: EnclaveKeyKind) -> [UInt8] {
        (0..<kind.publicKeyByteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
    }

    private static func seed(_ kind: EnclaveKeyKind) -> SecretBox {
        SecretBox(copying: (0..<kind.secretByteCount).map { UInt8($0) &+ 150 })
    }

    private static func blob(_ kind: EnclaveKeyKind, _ flags: AccessControlFlags = []) throws -> EnclaveKeyBlob {
        let control = try Blobs.control(flags)
        let made = try EnclaveKeyBlob(
            kind: kind, identifier: Blobs.identifier, publicKey: publicKey(kind), secret: seed(kind),
            accessControl: control, classKey: Blobs.classKey, deviceKey: Blobs.deviceKey, sealKey: Blobs.sealKey,
            passwordKey: control.needsApplicationPassword ? Blobs.passwordKey : nil, entropy: SystemEntropy())
        return try #require(made)
    }

    /// Nil if the seed opens.
    private static func refusal(
        _ blob: EnclaveKeyBlob, classKey: SecretBox = Blobs.classKey, deviceKey: SecretBox = Blobs.deviceKey,
        passwordKey: SecretBox? = Blobs.passwordKey
    ) -> KeyRefusal? {
        switch blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: passwordKey) {
        case .key(let found): found.equals(seed(blob.kind)) ? nil : .damaged
        case .refused(let refusal): refusal
        }
    }

    @Test("kinds are told by the lengths of their public keys") func lengths() {
        #expect(Set(EnclaveKeyKind.allCases.map(\.publicKeyByteCount)).count == EnclaveKeyKind.allCases.count)
        for kind in EnclaveKeyKind.allCases {
            #expect(EnclaveKeyKind(publicKeyByteCount: kind.publicKeyByteCount) == kind)
            #expect(EnclaveKeyKind(publicKeyByteCount: kind.publicKeyByteCount + 1) == nil)
        }
        #expect(EnclaveKeyKind(publicKeyByteCount: 0) == nil)
        #expect(Set(NewEnclaveKey.allCases.map(\.kind)) == Set(EnclaveKeyKind.allCases))
        for key in NewEnclaveKey.allCases where key != .compactP256 { #expect(key.rawValue == key.kind.rawValue) }
    }

    @Test("a blob is read as it was written, and its seed opens", arguments: kinds, Blobs.rules)
    func roundTrip(_ kind: EnclaveKeyKind, _ flags: AccessControlFlags) throws {
        let made = try Self.blob(kind, flags)
        let read = try EnclaveKeyBlob(parsing: made.bytes)
        #expect(read == made)
        #expect(read.bytes == made.bytes)
        #expect(read.bytes.count <= EnclaveLimits.keyBlobByteCount)
        #expect(read.kind == kind)
        #expect(read.identifier == Blobs.identifier)
        #expect(read.publicKey == Self.publicKey(kind))
        #expect(read.isSealed(with: Blobs.sealKey))
        #expect(read.isGenuine(with: Blobs.classKey, deviceKey: Blobs.deviceKey))
        #expect(Self.refusal(read) == nil)
        let other = SecretBox(copying: [UInt8](repeating: 1, count: 32))
        let hasPassword = flags.contains(.applicationPassword)
        #expect(Self.refusal(read, classKey: other) == .damaged)
        #expect(Self.refusal(read, deviceKey: other) == .damaged)
        #expect(Self.refusal(read, passwordKey: other) == (hasPassword ? .wrongApplicationPassword : nil))
        #expect(Self.refusal(read, passwordKey: nil) == (hasPassword ? .authenticationNeeded : nil))
    }

    @Test("a blob has exactly these bytes", arguments: kinds, [false, true])
    func layout(_ kind: EnclaveKeyKind, hasPassword: Bool) throws {
        let flags: AccessControlFlags = hasPassword ? .applicationPassword : []
        let control = try Blobs.control(flags).serialised
        let head =
            [2, 6] + Array(200..<216) + [kind.rawValue] + Self.publicKey(kind) + [0, UInt8(control.count)] + control
        let label = Array("latchkey".utf8) + [4, 0, 0, UInt8(head.count >> 8), UInt8(head.count & 0xFF)] + head
        func wrapped(_ key: SecretBox, _ by: SecretBox) -> SecretBox {
            SecretBox(copying: AESKeyWrap.wrap(key, with: HMACSHA256.secret(over: label, key: by)))
        }
        let inner = hasPassword ? wrapped(Self.seed(kind), Blobs.passwordKey) : Self.seed(kind)
        let outer = wrapped(wrapped(inner, Blobs.deviceKey), Blobs.classKey)
        #expect(outer.count == kind.secretByteCount + (hasPassword ? 24 : 16))
        let seal = HMACSHA256.code(over: Array("latchkey enclave key\0".utf8) + head, key: Blobs.sealKey)
        #expect(try Self.blob(kind, flags).bytes == head + seal + outer.withBytes { Array($0) })
    }

    @Test("altered at any byte it cannot be parsed, or its seal is broken, or it opens no more", arguments: kinds)
    func altered(_ kind: EnclaveKeyKind) throws {
        for flags in [[], .applicationPassword] as [AccessControlFlags] {
            let original = try Self.blob(kind, flags)
            let seal = original.head.count..<original.head.count + 32
            let publicKey = 19..<19 + kind.publicKeyByteCount
            for index in original.bytes.indices {
                // One bit of each byte, and every bit of what is not the public key.
                for bit in 0..<8 where !publicKey.contains(index) || bit == index % 8 {
                    var changed = original.bytes
                    changed[index] ^= 1 << UInt8(bit)
                    guard let blob = try? EnclaveKeyBlob(parsing: changed) else { continue }
                    #expect(blob.bytes == changed)
                    #expect(blob.isSealed(with: Blobs.sealKey) == (index >= seal.upperBound), "byte \(index)")
                    guard !seal.contains(index) else { continue }
                    #expect(!blob.isGenuine(with: Blobs.classKey, deviceKey: Blobs.deviceKey), "byte \(index)")
                    #expect(Self.refusal(blob) == .damaged, "byte \(index)")
                }
            }
        }
    }

    @Test("a seed under another kind's head does not open, where lengths would let it") func otherKind() throws {
        // The two of ML-KEM and the two of ML-DSA have seeds of one length, and so has P-256's number.
        for (one, other) in [
            (EnclaveKeyKind.mlkem768, EnclaveKeyKind.mlkem1024), (.mldsa65, .mldsa87), (.mldsa87, .mldsa65),
            (.mlkem1024, .mlkem768),
        ] {
            let wanted = try Self.blob(other)
            let spliced = wanted.bytes.dropLast(wanted.wrappedSecret.count) + (try Self.blob(one)).wrappedSecret
            let blob = try EnclaveKeyBlob(parsing: Array(spliced))
            #expect(blob.isSealed(with: Blobs.sealKey))
            #expect(!blob.isGenuine(with: Blobs.classKey, deviceKey: Blobs.deviceKey))
            #expect(Self.refusal(blob) == .damaged)
        }
        let number = try Blobs.blob(try Blobs.control())
        let seed = try Self.blob(.mldsa65)
        let blob = try EnclaveKeyBlob(
            parsing: number.bytes.dropLast(number.wrappedSecret.count) + seed.wrappedSecret)
        #expect(!blob.isGenuine(with: Blobs.classKey, deviceKey: Blobs.deviceKey))
    }

    @Test("cut off or longer it cannot be parsed", arguments: kinds) func cut(_ kind: EnclaveKeyKind) throws {
        let bytes = try Self.blob(kind).bytes
        for count in bytes.indices {
            #expect(throws: EnclaveKeyBlobFailure.self) { _ = try EnclaveKeyBlob(parsing: Array(bytes[..<count])) }
        }
        for more in [1, 8, 16] {
            #expect(throws: EnclaveKeyBlobFailure.self) {
                _ = try EnclaveKeyBlob(parsing: bytes + [UInt8](repeating: 0, count: more))
            }
        }
    }

    static let failures: [(Int, UInt8, EnclaveKeyBlobFailure)] = [
        (0, 0, .unknownVersion(0)), (0, 3, .unknownVersion(3)), (1, 5, .badValue(field: "class", found: 5)),
        (1, 7, .badAccessControl), (18, 0, .badValue(field: "kind", found: 0)),
        // P-256 has a version of its own.
        (18, 1, .badValue(field: "kind", found: 1)), (18, 6, .badValue(field: "kind", found: 6)),
        (18, 255, .badValue(field: "kind", found: 255)), (18, 5, .truncated), (1203, 0xFF, .truncated),
        (1205, 0x30, .badAccessControl),
    ]

    @Test("what is wrong with bytes is said", arguments: failures)
    func failure(_ place: Int, _ value: UInt8, _ failure: EnclaveKeyBlobFailure) throws {
        var bytes = try Self.blob(.mlkem768).bytes
        bytes[place] = value
        #expect(throws: failure) { _ = try EnclaveKeyBlob(parsing: bytes) }
    }

    @Test("a public key of another kind's length makes no blob") func publicKeyLengths() throws {
        for kind in EnclaveKeyKind.allCases {
            for other in EnclaveKeyKind.allCases where other != kind {
                let made = try EnclaveKeyBlob(
                    kind: kind, identifier: Blobs.identifier, publicKey: Self.publicKey(other),
                    secret: Self.seed(kind), accessControl: try Blobs.control(), classKey: Blobs.classKey,
                    deviceKey: Blobs.deviceKey, sealKey: Blobs.sealKey, passwordKey: nil, entropy: SystemEntropy())
                #expect(made == nil)
            }
        }
    }

    @Test("random bytes are never a crash, and what is read is written as the same bytes", arguments: 0..<4)
    func hostile(seed: UInt64) throws {
        var state = seed &+ 11
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let blobs = try Self.kinds.map { try Self.blob($0).bytes }
        for _ in 0..<500 {
            var bytes = blobs[random(blobs.count)]
            for _ in 0...random(4) where !bytes.isEmpty {
                // Mostly where the form is.
                let place = random(2) == 0 ? random(min(24, bytes.count)) : random(bytes.count)
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
