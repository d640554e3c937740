import CommonCrypto
import CommonCryptoSPI
import Testing

/// NIST's vectors for the ciphers of disks and for authenticated encryption.
@Suite struct CAVPUnitTests {
    static let folders = ["tweak-128hexstr", "tweak-dataunitseqno"]

    @Test("AES-XTS gives NIST's answers, for numbered units and for any tweak", arguments: folders, [128, 256])
    func xts(_ folder: String, _ bits: Int) throws {
        var (whole, parts) = (0, 0)
        for record in try CAVPFile("ciphers/AES/XTS/\(folder)/XTSGenAES\(bits).rsp").records {
            guard let keys = try record.bytes("key") else { continue }
            let (plain, sealed) = (try #require(try record.bytes("pt")), try #require(try record.bytes("ct")))
            // Some units are not a whole number of bytes.
            guard try #require(record.number("dataunitlen")) == plain.count * 8 else {
                parts += 1
                continue
            }
            let half = keys.count / 2
            let call = CipherCall(
                mode: kCCModeXTS, key: Array(keys.prefix(half)), tweak: Array(keys.suffix(half)))
            let tweak = try Self.tweak(of: record)
            #expect(try DataUnit.encrypt(plain, call, tweak: tweak) == sealed)
            #expect(try DataUnit.decrypt(sealed, call, tweak: tweak) == plain)
            whole += 1
        }
        #expect([whole, parts] == (bits == 128 ? [800, 200] : [600, 400]))
    }

    /// A unit's number is written with its least significant byte first.
    private static func tweak(of record: CAVPFile.Record) throws -> [UInt8] {
        if let tweak = try record.bytes("i") { return tweak }
        let number = UInt64(try #require(record.number("dataunitseqnumber")))
        return (0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) : 0 }
    }

    @Test("AES-GCM gives NIST's answers and refuses what NIST altered") func gcm() throws {
        var (opened, refused, short) = (0, 0, 0)
        for record in try CAVPFile("ciphers/AES/GCM/gcmDecrypt128.rsp").records {
            guard let tag = try record.bytes("tag"), let sealed = try record.bytes("ct") else { continue }
            let call = GCMCall(
                key: try #require(try record.bytes("key")), iv: try #require(try record.bytes("iv")),
                associated: try #require(try record.bytes("aad")))
            // The calls for whole messages take no shorter IVs and tags: others are forged too easily.
            guard call.iv.count >= 12, tag.count >= 8 else {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCParamError))) {
                    try call.open(sealed, tag: tag)
                }
                short += 1
                continue
            }
            if record.isRefusal {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCUnspecifiedError))) {
                    try call.open(sealed, tag: tag)
                }
                refused += 1
            } else {
                let plain = try #require(try record.bytes("pt"))
                #expect(try call.open(sealed, tag: tag) == plain)
                let again = try call.seal(plain, tagLength: tag.count)
                #expect(again.ciphertext == sealed && again.tag == tag)
                opened += 1
            }
        }
        #expect([opened, refused, short] == [2207, 2293, 3375])
    }
}
