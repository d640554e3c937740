import Foundation
import Testing

@testable import PocketVault

@Suite struct DigestTests {
    @Test func bothModulesGiveTheSameDigest() {
        #expect(Digest.commonCrypto(Data("abc".utf8)) == Digest.cryptoKit(Data("abc".utf8)))
        #expect(Digest.cryptoKit(Data("abc".utf8)).first == 0xba)
    }

    @Test func aDeviceWithoutAPasscodeTakesNoFinger() {
        #expect(!Digest.canAskForAFinger())
        #expect(Digest.random(16) == errSecSuccess)
    }
}
