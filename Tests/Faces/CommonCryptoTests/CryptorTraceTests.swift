import CLatchkeyShims
import CommonCrypto
import CommonCryptoSPI
import Glibc
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyCommonCryptoFunctions

/// A cryptor of ECB and CBC keeps the key of AES for the direction that was not named: libcrypto's context of one
/// direction does not give it back, and its expanded key of the other one begins with it anyway.
@Suite(
    "A cryptor leaves no key behind", .serialized,
    .enabled(if: !OwnMemory.isSanitized, "the address sanitizer keeps too much memory to look through"))
struct CryptorTraceTests {
    private static let keyByteCount = 32

    /// A key that this process has nowhere in the open but where a cryptor keeps it.
    private final class HiddenKey {
        let needle: OwnMemory.Needle

        init(seed: UInt64) {
            var numbers = SplitMix(seed: seed)
            let box = SecretBox(count: keyByteCount) { buffer in
                for index in buffer.indices { buffer[index] = UInt8.random(in: 0...255, using: &numbers) }
            }
            needle = OwnMemory.Needle(box)
        }

        func makeCryptor(_ operation: Int, _ mode: Int) throws -> CCCryptorRef {
            let key = UnsafeMutablePointer<UInt8>.allocate(capacity: keyByteCount)
            defer {
                key.update(repeating: 0, count: keyByteCount)
                key.deallocate()
            }
            needle.write(to: key)
            var cryptor: CCCryptorRef?
            try #require(
                CCCryptorCreateWithMode(
                    CCOperation(operation), CCMode(mode), CCAlgorithm(kCCAlgorithmAES), CCPadding(ccNoPadding), nil,
                    key, keyByteCount, nil, 0, 0, 0, &cryptor) == kCCSuccess)
            return try #require(cryptor)
        }

        /// Returns true if the cryptor's own memory, without libcrypto's, has the key.
        func isKept(in cryptor: CCCryptorRef) -> Bool {
            let start = UnsafeMutableRawPointer(cryptor).assumingMemoryBound(to: UInt8.self)
            let plain = UnsafeMutablePointer<UInt8>.allocate(capacity: keyByteCount)
            defer {
                plain.update(repeating: 0, count: keyByteCount)
                plain.deallocate()
            }
            needle.write(to: plain)
            return lk_find_bytes(start, MemoryLayout<Cryptor>.size, plain, keyByteCount) >= 0
        }
    }

    private static func runBlock(_ cryptor: CCCryptorRef, encrypting: Bool) -> Bool {
        let block = [UInt8](repeating: 7, count: 16)
        var output = block
        let run = encrypting ? CCCryptorEncryptDataBlock : CCCryptorDecryptDataBlock
        return run(cryptor, nil, block, block.count, &output) == kCCSuccess && output != block
    }

    @Test(
        "the key waits for the direction that was not named, also after a reset, and goes when that has it",
        arguments: [kCCEncrypt, kCCDecrypt], [kCCModeECB, kCCModeCBC])
    func second(operation: Int, mode: Int) throws {
        let key = HiddenKey(seed: UInt64(operation * 10 + mode))
        let cryptor = try key.makeCryptor(operation, mode)
        #expect(key.isKept(in: cryptor), "the look is blind")
        _ = CCCryptorReset(cryptor, nil)
        #expect(Self.runBlock(cryptor, encrypting: operation == kCCEncrypt))
        #expect(key.isKept(in: cryptor))
        #expect(Self.runBlock(cryptor, encrypting: operation != kCCEncrypt))
        #expect(!key.isKept(in: cryptor))
        for encrypting in [true, false] { #expect(Self.runBlock(cryptor, encrypting: encrypting)) }
        CCCryptorRelease(cryptor)
        #expect(try OwnMemory.count(of: [key.needle]) == 0)
    }

    @Test(
        "a cryptor whose second direction was never used leaves no key either", arguments: [kCCEncrypt, kCCDecrypt],
        [kCCModeECB, kCCModeCBC])
    func first(operation: Int, mode: Int) throws {
        let key = HiddenKey(seed: UInt64(100 + operation * 10 + mode))
        #expect(try OwnMemory.count(of: [key.needle]) == 0)
        let cryptor = try key.makeCryptor(operation, mode)
        #expect(try OwnMemory.count(of: [key.needle]) == 1, "the scan is blind")
        CCCryptorRelease(cryptor)
        #expect(try OwnMemory.count(of: [key.needle]) == 0)
    }
}
