import CommonCrypto
import CommonCryptoSPI
import Testing

/// XTS as programs call it: a unit of a disk at a time.
enum DataUnit {
    static func encrypt(_ unit: [UInt8], _ call: CipherCall, tweak: [UInt8]) throws -> [UInt8] {
        try run(unit, call, tweak, CCCryptorEncryptDataBlock)
    }

    static func decrypt(_ unit: [UInt8], _ call: CipherCall, tweak: [UInt8]) throws -> [UInt8] {
        try run(unit, call, tweak, CCCryptorDecryptDataBlock)
    }

    private static func run(
        _ unit: [UInt8], _ call: CipherCall, _ tweak: [UInt8],
        _ function: (
            CCCryptorRef?, UnsafeRawPointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?
        ) -> CCCryptorStatus
    ) throws -> [UInt8] {
        // One cryptor goes both ways.
        try call.withCryptor(kCCBoth) { cryptor in
            let (input, tweak, output) = (GuardedBytes(unit), GuardedBytes(tweak), GuardedBytes(count: unit.count))
            let status = function(cryptor, tweak.start, input.start, unit.count, output.start)
            guard status == kCCSuccess else { throw CipherCall.Refusal(status: status) }
            try #require(output.isIntactBefore)
            return output.contents(unit.count)
        }
    }
}
