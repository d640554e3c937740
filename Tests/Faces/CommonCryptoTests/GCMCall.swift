import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// AES-GCM as programs call it, at once and in steps.
struct GCMCall {
    let key: [UInt8]
    let iv: [UInt8]
    let associated: [UInt8]

    init(key: [UInt8], iv: [UInt8], associated: [UInt8]) {
        self.key = key
        self.iv = iv
        self.associated = associated
    }

    init(_ test: WycheproofFile.Case) throws {
        key = try #require(test.key).bytes
        iv = try #require(test.iv).bytes
        associated = try #require(test.aad).bytes
    }

    func seal(_ message: [UInt8], tagLength: Int = 16) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
        let memory = Memory(self, message)
        let tag = GuardedBytes(count: tagLength)
        try check(
            CCCryptorGCMOneshotEncrypt(
                CCAlgorithm(kCCAlgorithmAES), memory.key.start, key.count, memory.iv.start, iv.count,
                memory.associated.start, associated.count, memory.input.start, message.count, memory.output.start,
                tag.start, tagLength))
        return (memory.output.contents(message.count), tag.contents(tagLength))
    }

    func open(_ ciphertext: [UInt8], tag: [UInt8]) throws -> [UInt8] {
        let memory = Memory(self, ciphertext)
        let expected = GuardedBytes(tag)
        let status = CCCryptorGCMOneshotDecrypt(
            CCAlgorithm(kCCAlgorithmAES), memory.key.start, key.count, memory.iv.start, iv.count,
            memory.associated.start, associated.count, memory.input.start, ciphertext.count, memory.output.start,
            expected.start, tag.count)
        // Nothing is left of what was decrypted and found wrong.
        if status == kCCUnspecifiedError { try #require(memory.output.bytes.allSatisfy { $0 == 0 }) }
        try check(status)
        return memory.output.contents(ciphertext.count)
    }

    func sealInSteps(_ message: [UInt8]) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
        try withCryptor(kCCEncrypt) { cryptor in
            let ciphertext = try pass(message, through: cryptor, CCCryptorGCMEncrypt)
            let tag = GuardedBytes(count: 16)
            try check(CCCryptorGCMFinalize(cryptor, tag.start, 16))
            return (ciphertext, tag.contents(16))
        }
    }

    func openInSteps(_ ciphertext: [UInt8], tag: [UInt8]) throws -> (message: [UInt8], isGenuine: Bool) {
        try withCryptor(kCCDecrypt) { cryptor in
            let message = try pass(ciphertext, through: cryptor, CCCryptorGCMDecrypt)
            let expected = GuardedBytes(tag)
            return (message, CCCryptorGCMFinalize(cryptor, expected.start, tag.count) == kCCSuccess)
        }
    }

    private func withCryptor<Value>(_ operation: Int, _ body: (CCCryptorRef) throws -> Value) throws -> Value {
        try CipherCall(mode: kCCModeGCM, key: key).withCryptor(operation) { cryptor in
            let start = GuardedBytes(iv)
            try check(CCCryptorGCMAddIV(cryptor, start.start, iv.count))
            // In two pieces.
            let (data, half) = (GuardedBytes(associated), associated.count / 2)
            try check(CCCryptorGCMAddAAD(cryptor, data.start, half))
            try check(CCCryptorGCMAddAAD(cryptor, data.start + half, associated.count - half))
            return try body(cryptor)
        }
    }

    private func pass(
        _ bytes: [UInt8], through cryptor: CCCryptorRef,
        _ function: (CCCryptorRef?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?) -> CCCryptorStatus
    ) throws -> [UInt8] {
        let (input, output) = (GuardedBytes(bytes), GuardedBytes(count: bytes.count))
        let first = bytes.count / 3
        try check(function(cryptor, input.start, first, output.start))
        try check(function(cryptor, input.start + first, bytes.count - first, output.start + first))
        return output.contents(bytes.count)
    }

    private func check(_ status: CCCryptorStatus) throws {
        guard status == kCCSuccess else { throw CipherCall.Refusal(status: status) }
    }

    private struct Memory {
        let key, iv, associated, input, output: GuardedBytes

        init(_ call: GCMCall, _ text: [UInt8]) {
            key = GuardedBytes(call.key)
            iv = GuardedBytes(call.iv)
            associated = GuardedBytes(call.associated)
            input = GuardedBytes(text)
            output = GuardedBytes(count: text.count)
        }
    }
}
