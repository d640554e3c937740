import Foundation
import RNCryptor
import Testing

@Suite("RNCryptor's names")
struct FaceTests {
    private static let key = Data(0..<32)
    private static let otherKey = Data(100..<132)

    @available(*, deprecated)
    @Test("have the older forms, whose messages are the same")
    func formerNames() throws {
        let (data, password) = (Data("attack at dawn".utf8), "Secret password")
        for message in [
            try RNEncryptor.encryptData(data, with: kRNCryptorAES256Settings, password: password),
            try RNEncryptor.encryptData(data, withSettings: kRNCryptorAES256Settings, password: password),
        ] {
            #expect(try RNCryptor.DecryptorV3(password: password).decrypt(data: message) == data)
            #expect(try RNDecryptor.decryptData(message, withPassword: password) == data)
            #expect(try RNDecryptor.decryptData(message, with: kRNCryptorAES256Settings, password: password) == data)
            #expect(
                try RNDecryptor.decryptData(message, withSettings: kRNCryptorAES256Settings, password: password) == data
            )
            #expect(throws: RNCryptor.Error.hmacMismatch) {
                try RNDecryptor.decryptData(message, withPassword: "another")
            }
        }
        let message = try RNEncryptor.encryptData(
            data, with: kRNCryptorAES256Settings, encryptionKey: Self.key, hmacKey: Self.otherKey)
        let same = try RNEncryptor.encryptData(
            data, withSettings: kRNCryptorAES256Settings, encryptionKey: Self.key, hmacKey: Self.otherKey)
        for message in [message, same] {
            #expect(
                try RNDecryptor.decryptData(message, withEncryptionKey: Self.key, hmacKey: Self.otherKey) == data)
            #expect(
                try RNDecryptor.decryptData(
                    message, with: kRNCryptorAES256Settings, encryptionKey: Self.key, hmacKey: Self.otherKey) == data)
        }
        for body in [
            { try RNEncryptor.encryptData(data, with: kRNCryptorAES256Settings, password: "") },
            {
                try RNEncryptor.encryptData(
                    data, with: kRNCryptorAES256Settings, encryptionKey: Data(), hmacKey: Self.key)
            },
            { try RNDecryptor.decryptData(message, withEncryptionKey: Self.key, hmacKey: Data([1])) },
        ] {
            #expect(throws: RNCryptor.Error.invalidCredentialType) { try body() }
        }
    }

    /// The examples of the library's own introduction, as an app has them.
    @Test("do what the library's introduction shows")
    func introduction() throws {
        let data = Data("attack at dawn".utf8)
        let password = "Secret password"
        let ciphertext = RNCryptor.encrypt(data: data, withPassword: password)
        do {
            let originalData = try RNCryptor.decrypt(data: ciphertext, withPassword: password)
            #expect(originalData == data)
        } catch {
            Issue.record(error)
        }

        let encryptor = RNCryptor.Encryptor(password: password)
        var message = Data()
        message.append(encryptor.update(withData: data))
        message.append(encryptor.update(withData: data))
        message.append(encryptor.finalData())

        let decryptor = RNCryptor.Decryptor(password: password)
        var plaintext = Data()
        try plaintext.append(decryptor.update(withData: message))
        try plaintext.append(decryptor.finalData())
        #expect(plaintext == data + data)

        let encryptKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        let hmacKey = RNCryptor.randomData(ofLength: RNCryptor.FormatV3.keySize)
        let keyEncryptor = RNCryptor.EncryptorV3(encryptionKey: encryptKey, hmacKey: hmacKey)
        let keyDecryptor = RNCryptor.DecryptorV3(encryptionKey: encryptKey, hmacKey: hmacKey)
        #expect(try keyDecryptor.decrypt(data: keyEncryptor.encrypt(data: data)) == data)
    }

    @Test("serve code that does not know which direction it goes")
    func neutral() throws {
        func run(_ type: any RNCryptorType.Type, _ data: Data) throws -> Data {
            let cryptor = type.init(password: "word")
            var result = Data()
            for byte in data { result.append(try cryptor.update(withData: Data([byte]))) }
            result.append(try cryptor.finalData())
            return result
        }
        let plaintext = Data(0..<100)
        let message = try run(RNCryptor.Encryptor.self, plaintext)
        #expect(message.count == 34 + 112 + 32 && message.starts(with: [3, 1]))
        #expect(try run(RNCryptor.Decryptor.self, message) == plaintext)
        #expect(try run(RNCryptor.DecryptorV3.self, try run(RNCryptor.EncryptorV3.self, plaintext)) == plaintext)
    }

    @Test("have the library's numbers")
    func numbers() {
        #expect(
            (1...6).map { RNCryptor.Error(rawValue: $0) } == [
                .hmacMismatch, .unknownHeader, .messageTooShort, .memoryFailure, .invalidCredentialType, nil,
            ])
        #expect(RNCryptor.FormatV3.keySize == 32 && RNCryptor.FormatV3.saltSize == 8)
        #expect(RNCryptor.randomData(ofLength: 0).isEmpty)
        #expect(RNCryptor.randomData(ofLength: 100) != RNCryptor.randomData(ofLength: 100))
    }

    @Test("take slices of data, which do not begin at 0")
    func slices() throws {
        let plaintext = Data(0..<80)
        let message = RNCryptor.EncryptorV3(encryptionKey: Self.key, hmacKey: Self.otherKey)
            .encrypt(data: plaintext[10..<50])
        let framed = Data([9, 9, 9]) + message + Data([9])
        let cut = framed[3..<3 + message.count]
        #expect(try decryptor().decrypt(data: cut) == plaintext[10..<50])
        let pieces = decryptor()
        let result = try pieces.update(withData: cut.prefix(30)) + pieces.update(withData: cut.dropFirst(30))
        #expect(try result + pieces.finalData() == plaintext[10..<50])
    }

    @Test("refuse bytes that are not a message of these credentials, with the library's errors")
    func refusals() throws {
        let message = encryptor().encrypt(data: Data([1, 2, 3]))
        var altered = message
        altered[20] ^= 1
        #expect(throws: RNCryptor.Error.hmacMismatch) { try decryptor().decrypt(data: altered) }
        #expect(throws: RNCryptor.Error.hmacMismatch) { try decryptor().decrypt(data: message.dropLast()) }
        #expect(throws: RNCryptor.Error.hmacMismatch) { try decryptor().decrypt(data: message.prefix(18)) }
        #expect(throws: RNCryptor.Error.messageTooShort) { try decryptor().decrypt(data: message.prefix(17)) }
        #expect(throws: RNCryptor.Error.messageTooShort) { try decryptor().decrypt(data: Data()) }
        #expect(throws: RNCryptor.Error.messageTooShort) { try decryptor().finalData() }
        #expect(throws: RNCryptor.Error.unknownHeader) {
            try decryptor().decrypt(data: Data([2]) + message.dropFirst())
        }
        #expect(throws: RNCryptor.Error.invalidCredentialType) {
            try RNCryptor.decrypt(data: message, withPassword: "word")
        }
        #expect(throws: RNCryptor.Error.unknownHeader) { try RNCryptor.decrypt(data: Data(), withPassword: "word") }
        #expect(throws: RNCryptor.Error.messageTooShort) {
            try RNCryptor.decrypt(data: Data([3]), withPassword: "word")
        }
        #expect(throws: RNCryptor.Error.unknownHeader) {
            try RNCryptor.Decryptor(password: "word").update(withData: Data([4]))
        }
        #expect(throws: RNCryptor.Error.unknownHeader) { try RNCryptor.Decryptor(password: "word").finalData() }
        let passwordMessage = RNCryptor.encrypt(data: Data(), withPassword: "word")
        #expect(throws: RNCryptor.Error.invalidCredentialType) { try decryptor().decrypt(data: passwordMessage) }
        #expect(throws: RNCryptor.Error.invalidCredentialType) {
            try RNCryptor.decrypt(data: passwordMessage, withPassword: "")
        }
        #expect(throws: RNCryptor.Error.hmacMismatch) {
            try RNCryptor.decrypt(data: passwordMessage, withPassword: "Word")
        }
    }

    @Test("throw at every call after the end or an error")
    func reuse() throws {
        let message = encryptor().encrypt(data: Data([1]))
        let used = decryptor()
        #expect(try used.decrypt(data: message) == Data([1]))
        #expect(throws: RNCryptor.Error.hmacMismatch) { try used.finalData() }
        #expect(throws: RNCryptor.Error.hmacMismatch) { try used.update(withData: message) }
        #expect(throws: RNCryptor.Error.hmacMismatch) { try used.decrypt(data: message) }
        let failed = decryptor()
        #expect(throws: RNCryptor.Error.unknownHeader) { try failed.update(withData: Data([9])) }
        #expect(throws: RNCryptor.Error.unknownHeader) { try failed.update(withData: message) }
        #expect(throws: RNCryptor.Error.unknownHeader) { try failed.finalData() }
    }

    @Test("end the program that encrypts with an empty password")
    func emptyPasswordInOwnProcess() async {
        await #expect(processExitsWith: .failure) {
            _ = RNCryptor.encrypt(data: Data(), withPassword: "")
        }
    }

    @Test("end the program that goes on encrypting after the end")
    func encryptorReuseInOwnProcess() async {
        await #expect(processExitsWith: .failure) {
            let encryptor = RNCryptor.EncryptorV3(encryptionKey: Data(count: 32), hmacKey: Data(count: 32))
            _ = encryptor.finalData()
            _ = encryptor.update(withData: Data([1]))
        }
    }

    private func encryptor() -> RNCryptor.EncryptorV3 {
        RNCryptor.EncryptorV3(encryptionKey: Self.key, hmacKey: Self.otherKey)
    }

    private func decryptor() -> RNCryptor.DecryptorV3 {
        RNCryptor.DecryptorV3(encryptionKey: Self.key, hmacKey: Self.otherKey)
    }
}
