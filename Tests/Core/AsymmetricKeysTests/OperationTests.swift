import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

/// Operations of keys, and their refusals (Reference 9.7).
@Suite struct OperationTests {
    static let schemes: [(PrivateKey, SignatureAlgorithm.Scheme)] =
        Curve.allCases.flatMap { [(Samples.key($0), .ecdsaX962), (Samples.key($0), .ecdsaRFC4754)] }
        + [(Samples.rsa2048, .rsaPKCS1), (Samples.rsa2048, .rsaPSS)]

    private static func failure(_ body: () throws -> Void) -> KeyOperationFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? KeyOperationFailure
        }
    }

    private static func isBadInput(_ failure: KeyOperationFailure?) -> Bool {
        if case .badInput = failure { true } else { false }
    }

    @Test("digests of another length are refused, to sign and to verify", arguments: schemes)
    func digestLengths(_ key: PrivateKey, _ scheme: SignatureAlgorithm.Scheme) throws {
        for digest in Samples.digests {
            let algorithm = SignatureAlgorithm(scheme, digest, takesMessage: false)
            let signature = try key.sign([UInt8](repeating: 1, count: digest.byteCount), algorithm)
            for count in [0, digest.byteCount - 1, digest.byteCount + 1, 1000] {
                let bytes = [UInt8](repeating: 1, count: count)
                #expect(
                    Self.isBadInput(
                        Self.failure { _ = try key.sign(bytes, algorithm) }))
                #expect(
                    Self.isBadInput(
                        Self.failure {
                            try key.publicKey.verify(signature, over: bytes, algorithm)
                        }))
            }
        }
    }

    @Test("a signature is for its key, its bytes and its algorithm only", arguments: schemes)
    func wrongSignatures(_ key: PrivateKey, _ scheme: SignatureAlgorithm.Scheme) throws {
        let algorithm = SignatureAlgorithm(scheme, .sha256, takesMessage: true)
        let signature = try key.sign(Samples.message, algorithm)
        let half = key.publicKey
        #expect(try half.accepts(signature, over: Samples.message, algorithm))
        #expect(try !half.accepts(signature, over: Samples.message + [0], algorithm))
        let other = SignatureAlgorithm(scheme, .sha384, takesMessage: true)
        #expect(try !half.accepts(signature, over: Samples.message, other))
        #expect(try !Samples.make(half.kind).publicKey.accepts(signature, over: Samples.message, algorithm))
        for index in signature.indices {
            var altered = signature
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(try !half.accepts(altered, over: Samples.message, algorithm))
        }
        for wrong in [[], signature + [0], [0] + signature, Array(signature.dropLast()), Array(signature.dropFirst())] {
            #expect(try !half.accepts(wrong, over: Samples.message, algorithm))
        }
        #expect(try half.accepts(try key.sign([], algorithm), over: [], algorithm))
    }

    @Test("what a key cannot do it refuses as such") func unsupported() throws {
        let (rsa, curve) = (Samples.rsa1024, Samples.key(.p256))
        let ecdsa = SignatureAlgorithm(.ecdsaX962, .sha256, takesMessage: true)
        let pkcs1 = SignatureAlgorithm(.rsaPKCS1, .sha256, takesMessage: true)
        let pss512 = SignatureAlgorithm(.rsaPSS, .sha512, takesMessage: true)
        let ecies = EncryptionAlgorithm.ecies(.sha256, hasCofactor: false, derivesIV: false)
        let plain = ExchangeAlgorithm(hasCofactor: false, derivation: nil)
        let attempts: [() throws -> Void] = [
            { _ = try rsa.sign([], ecdsa) },
            { _ = try curve.sign([], pkcs1) },
            { _ = try rsa.sign([], pss512) },
            { try rsa.publicKey.verify([], over: [], ecdsa) },
            { try curve.publicKey.verify([], over: [], pkcs1) },
            { _ = try rsa.publicKey.encrypt([], ecies) },
            { _ = try curve.publicKey.encrypt([], .rsaPKCS1) },
            { _ = try rsa.publicKey.encrypt([], .rsaOAEP(.sha512)) },
            { _ = try rsa.publicKey.encrypt([], .rsaOAEPAESGCM(.sha512)) },
            { _ = try rsa.decrypt([], ecies) },
            { _ = try rsa.decryptECIES([], ecies) },
            { _ = try curve.decryptECIES([], .rsaPKCS1) },
            { _ = try curve.decrypt([], .rsaRaw) },
            { _ = try rsa.decrypt([], .rsaOAEP(.sha512)) },
            { _ = try rsa.agree(with: rsa.publicKey) },
            {
                _ = try rsa.exchange(with: rsa.publicKey, plain, requestedByteCount: 1)
            },
        ]
        for attempt in attempts { #expect(Self.failure(attempt) == .unsupported) }
    }

    @Test(
        "RSA takes plaintexts up to its limit",
        arguments: [(EncryptionAlgorithm.rsaRaw, 256), (.rsaPKCS1, 245)]
            + Samples.digests.map { (.rsaOAEP($0), 254 - 2 * $0.byteCount) })
    func limits(_ algorithm: EncryptionAlgorithm, _ limit: Int) throws {
        let key = Samples.rsa2048
        let longest = [0] + [UInt8](repeating: 0x77, count: limit - 1)
        let sealed = try key.publicKey.encrypt(longest, algorithm)
        #expect(sealed.count == 256)
        #expect(try key.decrypt(sealed, algorithm).contents == longest)
        #expect(
            Self.isBadInput(
                Self.failure {
                    _ = try key.publicKey.encrypt(longest + [0], algorithm)
                }))
        guard algorithm != .rsaRaw else { return }
        for index in stride(from: 0, to: 256, by: 5) {
            var altered = sealed
            altered[index] ^= 0x10
            #expect(throws: KeyOperationFailure.notDecryptable) { try key.decrypt(altered, algorithm) }
        }
        for wrong in [[], Array(sealed.dropLast()), sealed + [0], [UInt8](repeating: 0xFF, count: 256)] {
            #expect(throws: KeyOperationFailure.notDecryptable) { try key.decrypt(wrong, algorithm) }
        }
        #expect(throws: KeyOperationFailure.notDecryptable) {
            try Samples.make(.rsa(bits: 2048)).decrypt(sealed, algorithm)
        }
    }

    @Test("RSA without padding takes numbers below the modulus, with zeros in front or not") func raw() throws {
        let key = Samples.rsa1024
        let modulus = Array(key.publicKey.externalRepresentation.dropFirst(7).prefix(128))
        let algorithm = SignatureAlgorithm(.rsaRaw, nil, takesMessage: false)
        #expect(
            try key.decrypt(try key.publicKey.encrypt([9], .rsaRaw), .rsaRaw).contents == [UInt8](
                repeating: 0, count: 127) + [9])
        // Without the zeros in front, as programs that think in numbers have it.
        let zero = try key.publicKey.encrypt([], .rsaRaw)
        #expect(zero == [UInt8](repeating: 0, count: 128))
        #expect(try key.decrypt([], .rsaRaw).contents == zero)
        for bytes in [modulus, [UInt8](repeating: 0xFF, count: 128), [0] + zero] {
            let attempts: [() throws -> Void] = [
                { _ = try key.publicKey.encrypt(bytes, .rsaRaw) },
                { _ = try key.sign(bytes, algorithm) },
            ]
            for attempt in attempts { #expect(Self.isBadInput(Self.failure(attempt))) }
        }
        #expect(throws: KeyOperationFailure.notDecryptable) { try key.decrypt(modulus, .rsaRaw) }
        #expect(try !key.publicKey.accepts(modulus, over: [1], algorithm))
        let bare = SignatureAlgorithm(.rsaPKCS1, nil, takesMessage: false)
        _ = try key.sign([UInt8](repeating: 1, count: 117), bare)
        #expect(
            Self.isBadInput(
                Self.failure {
                    _ = try key.sign([UInt8](repeating: 1, count: 118), bare)
                }))
    }

    @Test("both sides of an exchange get the same", arguments: Curve.allCases) func exchange(_ curve: Curve) throws {
        let (own, peer) = (Samples.key(curve), Samples.make(.ellipticCurve(curve)))
        for hasCofactor in [false, true] {
            let plain = ExchangeAlgorithm(hasCofactor: hasCofactor, derivation: nil)
            // The plain exchange does not look at a size.
            let one = try own.exchange(with: peer.publicKey, plain, requestedByteCount: nil)
            let other = try peer.exchange(with: own.publicKey, plain, requestedByteCount: -1, sharedInfo: [1])
            #expect(one.equals(other))
            #expect(one.count == curve.coordinateByteCount)
            for digest in Samples.digests {
                let algorithm = ExchangeAlgorithm(hasCofactor: hasCofactor, derivation: digest)
                let one = try own.exchange(
                    with: peer.publicKey, algorithm, requestedByteCount: 100, sharedInfo: [1, 2])
                let other = try peer.exchange(
                    with: own.publicKey, algorithm, requestedByteCount: 100, sharedInfo: [1, 2])
                #expect(one.equals(other))
                let elsewhere = try peer.exchange(with: own.publicKey, algorithm, requestedByteCount: 100)
                #expect(!one.equals(elsewhere))
                for count in [nil, 0, -1, Int.min, (1 << 20) + 1, Int.max] {
                    #expect(
                        Self.isBadInput(
                            Self.failure {
                                _ = try own.exchange(with: peer.publicKey, algorithm, requestedByteCount: count)
                            }))
                }
            }
        }
        let largest = try own.exchange(
            with: peer.publicKey, ExchangeAlgorithm(hasCofactor: false, derivation: .sha1),
            requestedByteCount: 1 << 20)
        #expect(largest.count == 1 << 20)
        for other in Curve.allCases.filter({ $0 != curve }).map({ Samples.key($0) }) + [Samples.rsa512] {
            #expect(
                Self.isBadInput(
                    Self.failure { _ = try own.agree(with: other.publicKey) }))
        }
    }

    /// As in the enclave: digests are signed and points multiplied elsewhere.
    struct Elsewhere: PrivateKeyOperations {
        let key: PrivateKey
        var refusal: KeyOperationFailure?

        var publicKey: PublicKey { key.publicKey }

        func sign(_ signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) -> [UInt8] {
            if let refusal { throw refusal }
            return try key.sign(signed, algorithm)
        }

        func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox {
            if let refusal { throw refusal }
            return try key.agree(with: peer)
        }
    }

    @Test("a private key that is elsewhere exchanges and opens the same") func elsewhere() throws {
        let (own, peer) = (Samples.key(.p256), Samples.key(.p256))
        let token = Elsewhere(key: own)
        let derivation = ExchangeAlgorithm(hasCofactor: true, derivation: .sha256)
        let one = try token.exchange(with: peer.publicKey, derivation, requestedByteCount: 32, sharedInfo: [1])
        #expect(one.equals(try own.exchange(with: peer.publicKey, derivation, requestedByteCount: 32, sharedInfo: [1])))
        let ecies = EncryptionAlgorithm.ecies(.sha512, hasCofactor: true, derivesIV: true)
        let sealed = try own.publicKey.encrypt(Samples.message, ecies, sharedInfo: [4], associatedData: [5])
        #expect(
            try token.decryptECIES(sealed, ecies, sharedInfo: [4], associatedData: [5]).contents == Samples.message)
        for (info, associated) in [([4], nil), ([], [5]), ([4], [6])] as [([UInt8], [UInt8]?)] {
            #expect(throws: KeyOperationFailure.notDecryptable) {
                try token.decryptECIES(sealed, ecies, sharedInfo: info, associatedData: associated)
            }
        }
        #expect(token.supports(.encryption(ecies), for: .decrypt))
        #expect(!token.supports(.encryption(.rsaPKCS1), for: .decrypt))
        let refusal = KeyOperationFailure.refused(status: -25308, reason: "locked")
        let locked = Elsewhere(key: own, refusal: refusal)
        #expect(throws: refusal) {
            try locked.decryptECIES(sealed, ecies, sharedInfo: [4], associatedData: [5])
        }
        #expect(throws: refusal) {
            try locked.exchange(with: peer.publicKey, derivation, requestedByteCount: 32)
        }
    }

    @Test("the two forms of ECDSA signatures turn into one another", arguments: Curve.allCases)
    func signatureForms(_ curve: Curve) throws {
        let n = curve.coordinateByteCount
        for (r, s) in [([1], [0x80]), ([0x80], [1, 0]), ([UInt8](repeating: 0xFF, count: n), [0x7F])]
            as [([UInt8], [UInt8])]
        {
            let der = DER.sequence(DER.number(r), DER.number(s))
            let raw = [r, s].flatMap { [UInt8](repeating: 0, count: n - $0.count) + $0 }
            #expect(ECDSASignature.raw(der: der, curve: curve) == raw)
            #expect(ECDSASignature.der(raw: raw, curve: curve) == der)
        }
        let one = DER.number([1])
        for wrong in [
            [], [0x30, 0], DER.sequence(one), DER.sequence(one, one, one), DER.sequence(one, one) + [0],
            DER.sequence(one, DER.number([1] + [UInt8](repeating: 0, count: n))), DER.sequence(one, [2, 2, 0, 1]),
            DER.sequence(one, [2, 1, 0x80]), DER.sequence(one, [2, 0]), [0x30, 0x81, 6] + one + one,
            DER.value(0x31, one + one),
        ] {
            #expect(ECDSASignature.raw(der: wrong, curve: curve) == nil)
        }
        for count in [0, 2 * n - 1, 2 * n + 1] {
            #expect(ECDSASignature.der(raw: [UInt8](repeating: 1, count: count), curve: curve) == nil)
        }
    }

    @Test("many threads use one key, and make their own") func threads() throws {
        let curve = Samples.key(.p256)
        let rsa = Samples.rsa1024
        let results = Mutex<[Bool]>([])
        let note: @Sendable (Bool) -> Void = { isRight in results.withLock { $0.append(isRight) } }
        onThreads(12) { index in
            do {
                for round in 0..<20 {
                    let message = [UInt8(index), UInt8(round)]
                    let ecdsa = SignatureAlgorithm(.ecdsaX962, .sha256, takesMessage: true)
                    try curve.publicKey.verify(try curve.sign(message, ecdsa), over: message, ecdsa)
                    let pss = SignatureAlgorithm(.rsaPSS, .sha256, takesMessage: true)
                    try rsa.publicKey.verify(try rsa.sign(message, pss), over: message, pss)
                    let own = try PrivateKey(generating: .ellipticCurve(.p256))
                    let isSame = try own.agree(with: curve.publicKey).equals(try curve.agree(with: own.publicKey))
                    note(isSame)
                    let text = own.pem(passphrase: nil)
                    note(try PrivateKey(encoded: text, passphrase: nil) == own)
                }
            } catch {
                note(false)
            }
        }
        let all = results.withLock { $0 }
        #expect(all.count == 480)
        #expect(all.allSatisfy { $0 })
    }
}
