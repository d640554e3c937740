import Foundation
import LatchkeyTestSupport
import RNCryptor
import Testing

@Suite("RNCryptor in a child of fork") struct ForkTests {
    private static let key = Data(0..<32)
    private static let plaintext = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })

    @Test("messages that the parent began go on in the child, and its cryptors work there")
    func messagesInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let other = Data(Self.key.reversed())
            let encryptors = [
                RNCryptor.EncryptorV3(password: "secret"),
                RNCryptor.EncryptorV3(encryptionKey: Self.key, hmacKey: other),
            ]
            let message = RNCryptor.encrypt(data: Self.plaintext, withPassword: "secret")
            let (running, unused) = (RNCryptor.Decryptor(password: "secret"), RNCryptor.Decryptor(password: "secret"))
            var start = try running.update(withData: message.prefix(500))
            let begun = encryptors.map { $0.update(withData: Self.plaintext.prefix(500)) }
            let ending = Forking.child {
                start += try running.update(withData: message.dropFirst(500))
                start += try running.finalData()
                try Forking.require(start == Self.plaintext)
                try Forking.require(unused.decrypt(data: message) == Self.plaintext)
                let whole = zip(begun, encryptors).map {
                    $0 + $1.update(withData: Self.plaintext.dropFirst(500)) + $1.finalData()
                }
                try Forking.require(RNCryptor.decrypt(data: whole[0], withPassword: "secret") == Self.plaintext)
                let decryptor = RNCryptor.DecryptorV3(encryptionKey: Self.key, hmacKey: other)
                try Forking.require(decryptor.decrypt(data: whole[1]) == Self.plaintext)
            }
            // Without the search for leaks: values on the stack, such as these messages, count as leaks there.
            _exit(ending == .success ? 0 : 1)
        }
    }
}
