import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct FileKeyAgreementTests {
    struct ClassB: Decodable {
        let classPrivateKey, classPublicKey, ephemeralPublicKey, wrappedFileKey, fileKey: Hex
    }

    @Test("a class B file key of a real device unwraps") func realDevice() throws {
        let vector = try BackupVectors.json("class-b-unwrap.json", as: ClassB.self)
        #expect(try X25519.publicKey(of: vector.classPrivateKey.secret) == vector.classPublicKey.bytes)
        let wrapped = vector.ephemeralPublicKey.bytes + vector.wrappedFileKey.bytes
        let key = try FileKeyAgreement.unwrap(wrapped, classPrivateKey: vector.classPrivateKey.secret)
        #expect(key.contents == vector.fileKey.bytes)
        for index in wrapped.indices where index != 31 {
            var altered = wrapped
            altered[index] ^= 1
            #expect(throws: CryptoFailure.self) {
                _ = try FileKeyAgreement.unwrap(altered, classPrivateKey: vector.classPrivateKey.secret)
            }
        }
    }

    @Test("what the public half wraps the private half unwraps, each time differently") func roundTrip() throws {
        let entropy = SystemEntropy()
        let classKey = SecretBox(count: 32) { entropy.fill($0) }
        let key = SecretBox(count: 32) { entropy.fill($0) }
        let publicKey = try X25519.publicKey(of: classKey)
        let one = try FileKeyAgreement.wrap(key, classPublicKey: publicKey, entropy: entropy)
        let other = try FileKeyAgreement.wrap(key, classPublicKey: publicKey, entropy: entropy)
        #expect(one.count == 72 && one != other)
        #expect(try FileKeyAgreement.unwrap(one, classPrivateKey: classKey).equals(key))
        #expect(try FileKeyAgreement.unwrap(other, classPrivateKey: classKey).equals(key))
    }
}
