import Crypto
import Foundation
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import Testing

@Suite("Keys of every kind behind the sockets")
struct RemoteKeyTests {
    private struct Unexpected: Error {}

    private static func control() throws -> AccessControl {
        try AccessControl(protection: .always, flags: .privateKeyUsage)
    }

    private static func boundControl(_ blob: [UInt8]) throws -> AccessControl {
        try EnclaveKeyBlob(parsing: blob).accessControl
    }

    private static let longest = [UInt8](repeating: 6, count: EnclaveLimits.messageByteCount)

    @Test("a key is made, described, used and deleted through the enclave's socket")
    func enclave() throws {
        let directory = try SocketDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory.path + "/enclave") }
        let process = try RemoteEnclaveTests.Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        for new in NewEnclaveKey.allCases {
            let made = try enclave.ask(MakeKey(new, under: try Self.control(), context: nil))
            guard case .created(let blob, let publicKey) = made else { throw Unexpected() }
            #expect(EnclaveKeyKind(publicKeyByteCount: publicKey.count) == new.kind)
            let signing = try enclave.ask(SignMessage(Self.longest, contextString: [1], with: blob, context: nil))
            let ciphertext: [UInt8]
            switch new.kind {
            case .mlkem768:
                let result = try MLKEM768.PublicKey(rawRepresentation: publicKey).encapsulate()
                ciphertext = Array(result.encapsulated)
                guard case .agreed(let secret) = try enclave.ask(Decapsulate(ciphertext, with: blob, context: nil))
                else { throw Unexpected() }
                #expect(secret.withBytes { Array($0) } == result.sharedSecret.withUnsafeBytes { Array($0) })
            case .mldsa87:
                guard case .signed(let signature) = signing else { throw Unexpected() }
                #expect(
                    try MLDSA87.PublicKey(rawRepresentation: publicKey)
                        .isValidSignature(signature, for: Self.longest, context: [1] as [UInt8]))
            default: break
            }
            if new.kind.messageSignatureByteCount == nil {
                #expect(signing == .otherKind(new.kind))
            }
            if new.kind.ciphertextByteCount != nil {
                guard case .badInput(new.kind) = try enclave.ask(Decapsulate([1], with: blob, context: nil))
                else { throw Unexpected() }
            }
            let description = KeyDescription.present(publicKey: publicKey, accessControl: try Self.boundControl(blob))
            #expect(try enclave.ask(DescribeKeys([blob])) == [description])
            #expect(try enclave.ask(DeleteKeys([blob])) == KeysDeleted())
            #expect(try enclave.ask(DescribeKeys([blob])) == [.gone(.deleted)])
        }
    }

    static let impossible: [(any KeyQuestion, Rule)] = [
        (SignWithKey([], digest: [UInt8](repeating: 1, count: 65)), .badDigest),
        (SignWithKey([], digest: []), .badDigest),
        (AgreeWithKey([], peer: [4]), .badPeer),
        (SignMessageWithKey([], message: longest + [1]), .messageTooLong),
        (SignMessageWithKey([], message: [UInt8](repeating: 1, count: 5 << 20)), .messageTooLong),
        (
            SignMessageWithKey([], message: [], contextString: [UInt8](repeating: 1, count: 256)),
            .contextStringTooLong
        ),
        (DecapsulateWithKey([], ciphertext: [UInt8](repeating: 1, count: 1569)), .badCiphertext),
        (DescribeEnclaveKey([UInt8](repeating: 1, count: 4097)), .enclaveKeyNotHere),
        (SignWithKey([UInt8](repeating: 1, count: 4097), digest: [1]), .enclaveKeyNotHere),
        (DecapsulateWithKey([UInt8](repeating: 1, count: 4097), ciphertext: [1]), .enclaveKeyNotHere),
    ]

    private static func refusals(
        of question: some KeyQuestion, _ keychain: any Keychain, _ session: any AuthenticationSession
    ) -> [EnclaveKeyRefusal?] {
        [
            #expect(throws: EnclaveKeyRefusal.self) { _ = try keychain.ask(question) },
            #expect(throws: EnclaveKeyRefusal.self) { _ = try session.ask(question) },
        ]
    }

    @Test("what no daemon can read is refused by name before it is sent")
    func lengths() throws {
        let directory = try SocketDirectory()
        let daemon = try RemoteKeychainTests.Daemon(path: directory.path + "/k.sock")
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        let session = keychain.openSession()
        defer { session.end() }
        for (question, rule) in Self.impossible {
            for refusal in Self.refusals(of: question, keychain, session) {
                #expect(refusal?.code == (rule == .enclaveKeyNotHere ? .itemNotFound : .param))
                #expect(refusal?.refusal?.rule == rule)
            }
        }
        #expect(daemon.requestCount == 0)
        // The longest of everything does go.
        let question = SignMessageWithKey(
            [UInt8](repeating: 1, count: 4096), message: Self.longest,
            contextString: [UInt8](repeating: 1, count: 255))
        _ = try keychain.ask(question)
        _ = try session.ask(question)
        #expect(daemon.requestCount == 2)
    }
}
