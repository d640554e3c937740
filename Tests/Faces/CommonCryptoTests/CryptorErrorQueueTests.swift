import CommonCrypto
import CommonCryptoSPI
import Glibc
import Testing

/// Programs that call libcrypto themselves find in its queue what their own calls left there.
@Suite struct CryptorErrorQueueTests {
    private typealias Fetch =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        -> OpaquePointer?
    private typealias Peek = @convention(c) () -> UInt

    private static func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
        try #require(dlsym(dlopen(nil, RTLD_NOW), name))
    }

    @Test("an error that was there stays, and none is added")
    func queue() throws {
        let fetch = unsafeBitCast(try Self.symbol("EVP_MD_fetch"), to: Fetch.self)
        let peek = unsafeBitCast(try Self.symbol("ERR_peek_last_error"), to: Peek.self)
        let take = unsafeBitCast(try Self.symbol("ERR_get_error"), to: Peek.self)
        let call = CipherCall(key: TestedCipher.bytes(16))
        func useCiphers() throws {
            _ = try call.encrypt(TestedCipher.bytes(32))
            for (length, tweak) in [(24, TestedCipher.bytes(24, from: 9)), (16, TestedCipher.bytes(16))] {
                // libcrypto would refuse these keys.
                let unusual = CipherCall(mode: kCCModeXTS, key: TestedCipher.bytes(length), tweak: tweak)
                try unusual.withCryptor(kCCEncrypt) { _ in }
            }
            let gcm = GCMCall(key: TestedCipher.bytes(16), iv: TestedCipher.bytes(12), associated: [])
            _ = try gcm.seal([1, 2, 3])
        }
        while take() != 0 {}
        try useCiphers()
        #expect(peek() == 0)
        #expect(fetch(nil, "no such digest", nil) == nil)
        let error = peek()
        #expect(error != 0)
        try useCiphers()
        #expect(peek() == error)
        while take() != 0 {}
    }
}
