import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveContract
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveService

/// Keys of ML-KEM and ML-DSA in the enclave: making and using them.
@Suite struct OwnKeyKindTests {
    @Test("lengths are those of the keys that are made") func lengths() throws {
        for kind in EnclaveKeyKind.allCases {
            guard let made = PostQuantumKeyKind(kind) else {
                #expect(kind == .p256)
                continue
            }
            #expect(made.publicKeyByteCount == kind.publicKeyByteCount)
            #expect(made.seedByteCount == kind.secretByteCount)
            #expect(made.ciphertextByteCount == kind.ciphertextByteCount)
            #expect(made.signatureByteCount == kind.messageSignatureByteCount)
        }
        #expect(EnclaveLimits.contextStringByteCount == PostQuantumKey.contextStringByteCount)
        #expect(TestDevice.kinds.compactMap { PostQuantumKeyKind($0) }.count == 4)
    }

    @Test("a key does what its kind does, again after a restart", arguments: TestDevice.kinds)
    func uses(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice()
        let keys = try (0..<3).map { _ in try device.ownKey(kind) }
        #expect(Set(keys.map(\.publicKey)).count == 3)
        for _ in 0..<2 {
            for key in keys {
                #expect(try device.useRefusal(key) == nil)
                #expect(try device.isGone(key) == nil)
            }
        }
        let next = try device.reopened()
        for key in keys { #expect(try next.useRefusal(key) == nil) }
    }

    @Test("a signature is for its message and context string alone", arguments: [EnclaveKeyKind.mldsa65, .mldsa87])
    func signatures(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice()
        let key = try device.ownKey(kind)
        let long = [UInt8](repeating: 7, count: EnclaveLimits.messageByteCount)
        let longest = SignMessage(long, contextString: [], with: key.blob, context: nil)
        guard case .signed(let ofLongest) = try device.enclave.ask(longest) else { throw Unexpected() }
        #expect(try PublicKeys.isValid(ofLongest, long, [], by: key.publicKey, kind))
        let strings: [[UInt8]] = [[], [1], [UInt8](repeating: 2, count: 255)]
        for message in [[], [0]] as [[UInt8]] {
            for string in strings {
                let question = SignMessage(message, contextString: string, with: key.blob, context: nil)
                guard case .signed(let signature) = try device.enclave.ask(question) else { throw Unexpected() }
                #expect(signature.count == kind.messageSignatureByteCount)
                for asked in strings {
                    let isValid = try PublicKeys.isValid(signature, message, asked, by: key.publicKey, kind)
                    #expect(isValid == (asked == string))
                }
                #expect(try !PublicKeys.isValid(signature, message + [0], string, by: key.publicKey, kind))
            }
        }
    }

    @Test("what is too long to be signed is malformed") func tooLong() throws {
        let device = try TestDevice()
        let key = try device.ownKey(EnclaveKeyKind.mldsa65)
        let long = [UInt8](repeating: 7, count: EnclaveLimits.messageByteCount + 1)
        for (message, string) in [(long, []), ([], [UInt8](repeating: 1, count: 256))] {
            let question = SignMessage(message, contextString: string, with: key.blob, context: nil)
            guard case .malformed = try device.refusal(of: question) else { throw Unexpected() }
        }
    }

    @Test(
        "an altered ciphertext holds another secret, always the same", arguments: [EnclaveKeyKind.mlkem768, .mlkem1024])
    func rejection(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice()
        let key = try device.ownKey(kind)
        func secret(in ciphertext: [UInt8]) throws -> [UInt8] {
            let question = Decapsulate(ciphertext, with: key.blob, context: nil)
            guard case .agreed(let secret) = try device.enclave.ask(question) else { throw Unexpected() }
            return secret.withBytes { Array($0) }
        }
        let (right, ciphertext) = try #require(try PublicKeys.encapsulate(to: key.publicKey, kind))
        #expect(try secret(in: ciphertext) == right)
        var altered = ciphertext
        altered[ciphertext.count - 1] ^= 1
        let other = try secret(in: altered)
        #expect(other.count == 32 && other != right)
        #expect(try secret(in: altered) == other)
        #expect(try secret(in: [UInt8](repeating: 0, count: ciphertext.count)) != right)
    }

    @Test("a ciphertext of another length is refused before anybody is asked")
    func ciphertextLengths() throws {
        let device = try TestDevice.withFinger()
        for kind in [EnclaveKeyKind.mlkem768, .mlkem1024] {
            for flags in [[], .userPresence] as [AccessControlFlags] {
                let key = try device.ownKey(kind, flags)
                for count in [0, 32, 1087, 1088, 1089, 1568, 1569] where count != kind.ciphertextByteCount {
                    let ciphertext = [UInt8](repeating: 1, count: count)
                    let question = Decapsulate(ciphertext, with: key.blob, context: nil)
                    guard case .badInput(kind) = try device.enclave.ask(question) else { throw Unexpected() }
                }
            }
        }
    }

    @Test("a key does nothing of another kind's, and says which it is", arguments: EnclaveKeyKind.allCases)
    func otherKinds(_ kind: EnclaveKeyKind) throws {
        let device = try TestDevice.withFinger()
        for flags in [[], .biometryAny] as [AccessControlFlags] {
            let key = try device.ownKey(kind, flags)
            let signatures: [(any EnclaveQuestion<SignatureAnswer>, [EnclaveKeyKind])] = [
                (SignDigest(TestDevice.digest, with: key.blob, context: nil), [.p256]),
                (SignMessage([1], contextString: [], with: key.blob, context: nil), [.mldsa65, .mldsa87]),
            ]
            for (question, kinds) in signatures where !kinds.contains(kind) {
                #expect(try device.enclave.ask(question) == .otherKind(kind))
            }
            let exchanges: [(any EnclaveQuestion<KeyExchangeAnswer>, [EnclaveKeyKind])] = [
                (AgreeOnKey(with: TestDevice.peer, by: key.blob, context: nil), [.p256]),
                (
                    Decapsulate([UInt8](repeating: 0, count: 1088), with: key.blob, context: nil),
                    [.mlkem768, .mlkem1024]
                ),
            ]
            for (question, kinds) in exchanges where !kinds.contains(kind) {
                guard case .otherKind(kind) = try device.enclave.ask(question) else { throw Unexpected() }
            }
            #expect(try device.useRefusal(key) == (flags.isEmpty ? nil : .authenticationNeeded))
        }
    }

    @Test("a compact key's x says which point it is") func compact() throws {
        let device = try TestDevice()
        for _ in 0..<20 {
            let key = try device.ownKey(NewEnclaveKey.compactP256)
            #expect(CompactPoint.isCompact(key.publicKey))
            // The sign bit of the compressed form says nothing of which one is smaller; the number does.
            #expect(key.publicKey.suffix(32).first.map { $0 <= 0x7F } == true)
            #expect(device.refusal(.sign, key) == nil)
            #expect(device.refusal(.agree, key) == nil)
        }
        // Of the others every second one is.
        let others = try (0..<64).map { _ in CompactPoint.isCompact(try device.ownKey().publicKey) }
        #expect(others.contains(true) && others.contains(false))
    }

    @Test("which of two points is compact") func smaller() {
        // (p - 1) / 2 and (p + 1) / 2 are each other's negatives.
        let half: [UInt8] =
            [0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 0x80] + [UInt8](repeating: 0, count: 11) + [0x7F]
            + [UInt8](repeating: 0xFF, count: 11)
        let prefix = [4] + [UInt8](repeating: 0xAB, count: 32)
        #expect(CompactPoint.isCompact(prefix + half))
        #expect(!CompactPoint.isCompact(prefix + half.dropLast(12) + [0x80] + [UInt8](repeating: 0, count: 11)))
        #expect(CompactPoint.isCompact(prefix + half.dropLast() + [0xFE]))
        #expect(CompactPoint.isCompact(prefix + [UInt8](repeating: 0, count: 32)))
        #expect(!CompactPoint.isCompact(prefix + [UInt8](repeating: 0xFF, count: 32)))
    }

    @Test("no key of any kind is made without privateKeyUsage or of a class without a key")
    func impossible() throws {
        let device = try TestDevice()
        for new in NewEnclaveKey.allCases {
            for bytes in OwnKeyTests.impossibleControls {
                let question = MakeKey(new, under: bytes, context: nil)
                guard case .malformed = try device.refusal(of: question) else { throw Unexpected() }
            }
        }
    }
}
