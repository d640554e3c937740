import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyKeychainService

@Suite struct SecretPaddingTests {
    @Test(
        "a padded secret has a whole number of blocks and comes back the same", arguments: [0, 1, 19, 20, 21, 40, 1000])
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let padded = SecretPadding.padded(SecretBox(copying: bytes))
        #expect(padded.count % 20 == 0)
        #expect(padded.count > count)
        #expect(padded.count <= count + 20)
        let secret = try #require(SecretPadding.unpadded(padded))
        #expect(secret.withBytes { Array($0) } == bytes)
    }

    @Test("an impossible padding gives no secret", arguments: [[], [0], [UInt8](repeating: 21, count: 20), [1, 1, 1]])
    func noPadding(bytes: [UInt8]) {
        #expect(SecretPadding.unpadded(SecretBox(copying: bytes)) == nil)
    }
}
