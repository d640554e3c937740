import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@Suite struct PrimitiveTests {
    private static func hex(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test(
        "scrypt gives the answers of RFC 7914",
        arguments: [
            (
                "", "", 16, 1, 1,
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            (
                "password", "NaCl", 1024, 8, 16,
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            (
                "pleaseletmein", "SodiumChloride", 16384, 8, 1,
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ])
    func scrypt(password: String, salt: String, cost: Int, blockSize: Int, lanes: Int, expected: String) throws {
        let key = try PasswordKey.scrypt(
            SecretBox(copying: Array(password.utf8)), salt: Array(salt.utf8), cost: UInt64(cost),
            blockSize: UInt64(blockSize), lanes: UInt64(lanes), count: 64)
        #expect(key.contents == Self.hex(expected))
    }

    @Test("digests of bytes in pieces are those of FIPS 180") func digests() {
        let abc = Array("abc".utf8)
        #expect(sha1(abc) == Self.hex("a9993e364706816aba3e25717850c26c9cd0d89d"))
        #expect(sha256(abc) == Self.hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        var running = RunningDigest(.sha256)
        for byte in abc { running.update([byte]) }
        #expect(running.finish() == sha256(abc))
        var secret = RunningDigest(.sha256)
        secret.update(abc)
        #expect(secret.finishSecret().contents == sha256(abc))
    }

    @Test(
        "each algorithm has its digest and length",
        arguments: [
            (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (DigestAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (DigestAlgorithm.sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (DigestAlgorithm.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                DigestAlgorithm.sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"
                    + "1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                DigestAlgorithm.sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func algorithms(_ algorithm: DigestAlgorithm, _ expected: String) {
        let digest = algorithm.digest(of: Array("abc".utf8))
        #expect(digest == Self.hex(expected))
        #expect(digest.count == algorithm.byteCount)
        #expect(DigestAlgorithm.allCases.contains(algorithm))
    }

    @Test("a sealed message with any one bit flipped does not open") func flippedSeal() {
        let key = SecretBox(copying: Array(0..<32))
        let sealed = Array("attack at dawn".utf8).withUnsafeBytes {
            AESGCM.seal($0, key: key, nonce: Array(0..<12), associatedData: [1])
        }
        for index in sealed.indices {
            for bit in 0..<8 {
                var altered = sealed
                altered[index] ^= 1 << UInt8(bit)
                #expect(throws: CryptoFailure.notAuthentic) {
                    _ = try AESGCM.open(altered, key: key, associatedData: [1])
                }
            }
        }
        #expect(throws: CryptoFailure.notAuthentic) { _ = try AESGCM.open(sealed, key: key, associatedData: [2]) }
        #expect(throws: CryptoFailure.badLength(found: 27)) {
            _ = try AESGCM.open(Array(sealed.prefix(27)), key: key, associatedData: [1])
        }
    }

    @Test("wrapped keys of impossible lengths are refused", arguments: [0, 8, 16, 23, 25, 41])
    func wrapLengths(count: Int) {
        let key = SecretBox(copying: Array(0..<32))
        #expect(throws: CryptoFailure.badLength(found: count)) {
            _ = try AESKeyWrap.unwrap([UInt8](repeating: 1, count: count), with: key)
        }
    }

    @Test("the system's random bytes differ from one another") func entropy() {
        let entropy = SystemEntropy()
        #expect(Set((0..<100).map { _ in entropy.bytes(16) }).count == 100)
        #expect(entropy.bytes(0).isEmpty)
    }
}
