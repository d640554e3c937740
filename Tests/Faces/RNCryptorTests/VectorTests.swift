import Foundation
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory
import RNCryptor
import Testing

@Suite("The vectors of the RNCryptor specification")
struct VectorTests {
    @Test("make keys of passwords", arguments: [(1, 4), (2, 4), (3, 6)])
    func keys(_ version: UInt8, _ count: Int) throws {
        let vectors = try Vector.all("v\(version)/kdf")
        #expect(vectors.count == count)
        for vector in vectors {
            let key = try Credentials.key(
                password: SecretBox(copying: Array(vector.password.utf8)), salt: vector.bytes("salt_hex"),
                version: #require(MessageHeader.Version(rawValue: version)))
            #expect(key.equals(SecretBox(copying: vector.bytes("key_hex"))), "\(vector.title)")
            guard version == 3 else { continue }
            let made = RNCryptor.FormatV3.makeKey(
                forPassword: vector.password, withSalt: Data(vector.bytes("salt_hex")))
            #expect(Array(made) == vector.bytes("key_hex"), "\(vector.title)")
        }
    }

    @Test("of passwords are read, in every version", arguments: [(1, 1), (2, 1), (3, 6)])
    func passwordsRead(_ version: UInt8, _ count: Int) throws {
        let vectors = try Vector.all("v\(version)/password")
        #expect(vectors.count == count)
        for vector in vectors {
            let message = vector.bytes("ciphertext_hex")
            let credentials = Credentials.password(SecretBox(copying: Array(vector.password.utf8)))
            #expect(try Message.header(of: message).version.rawValue == version)
            let plaintext = try Message.decrypt(message) { header throws(MessageFailure) in
                try credentials.keys(for: header)
            }
            #expect(plaintext == vector.bytes("plaintext_hex"), "\(vector.title)")
            #expect(
                try RNCryptor.decrypt(data: Data(message), withPassword: vector.password) == Data(plaintext),
                "\(vector.title)")
        }
    }

    @Test("of passwords are written: version 3 byte for byte, with the salts and the vector of each")
    func passwordsWritten() throws {
        for vector in try Vector.all("v3/password") {
            let header = MessageHeader(
                salts: .init(encryption: vector.bytes("enc_salt_hex"), authentication: vector.bytes("hmac_salt_hex")),
                initialisationVector: vector.bytes("iv_hex"))
            let keys = try Credentials.password(SecretBox(copying: Array(vector.password.utf8))).keys(for: header)
            #expect(
                Message.encrypt(vector.bytes("plaintext_hex"), keys: keys, header: header)
                    == vector.bytes("ciphertext_hex"), "\(vector.title)")
        }
    }

    @Test("of keys are written and read")
    func keys() throws {
        let vectors = try Vector.all("v3/key")
        #expect(vectors.count == 4)
        for vector in vectors {
            let (keys, message) = (try vector.keys, vector.bytes("ciphertext_hex"))
            let header = MessageHeader(salts: nil, initialisationVector: vector.bytes("iv_hex"))
            let plaintext = vector.bytes("plaintext_hex")
            #expect(Message.encrypt(plaintext, keys: keys, header: header) == message, "\(vector.title)")
            #expect(try Message.decrypt(message) { _ in keys } == plaintext, "\(vector.title)")
            let decryptor = RNCryptor.DecryptorV3(
                encryptionKey: Data(vector.bytes("enc_key_hex")), hmacKey: Data(vector.bytes("hmac_key_hex")))
            #expect(try decryptor.decrypt(data: Data(message)) == Data(plaintext), "\(vector.title)")
        }
    }

    @Test(
        "leave open what a character is: versions 1 and 2 take as many bytes as there are UTF-16 units",
        arguments: [
            ("plain", 5), ("caf\u{E9}", 4), ("\u{4E2D}\u{6587}", 2), ("\u{1F511}", 2), ("a\u{1F511}\u{E9}", 4),
            ("e\u{301}", 2),
        ])
    func oldPasswords(_ password: String, _ count: Int) throws {
        #expect(password.utf16.count == count)
        let salt = [UInt8](repeating: 5, count: 8)
        let bytes = Array(password.utf8)
        let cut = try Credentials.key(password: SecretBox(copying: Array(bytes.prefix(count))), salt: salt)
        let whole = try Credentials.key(password: SecretBox(copying: bytes), salt: salt)
        for version in [MessageHeader.Version.one, .two] {
            #expect(try Credentials.key(password: SecretBox(copying: bytes), salt: salt, version: version).equals(cut))
        }
        #expect(cut.equals(whole) == (bytes.count == count))
    }
}
