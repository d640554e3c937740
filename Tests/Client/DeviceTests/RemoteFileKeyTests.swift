import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import Testing

@Suite("Keys of files behind the sockets")
struct RemoteFileKeyTests {
    private static let files = (0..<256).map { index in
        FileIdentifier([UInt8](repeating: UInt8(index), count: FileIdentifier.byteCount))!
    }

    @Test("a full batch is created, opened and rewrapped through the enclave's socket")
    func enclave() throws {
        let directory = try SocketDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory.path + "/enclave") }
        let process = try RemoteEnclaveTests.Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        for protection in FileProtection.allCases {
            let made = try enclave.ask(MakeFileKeys(protection, for: Self.files)).get()
            let keys = try zip(made, Self.files).map { try #require(WrappedFileKey($0.wrapped, of: $1, protection)) }
            let outcomes = try enclave.ask(UnwrapKeys(keys.map(\.wrappedKey)))
            #expect(outcomes.count == 256)
            for (made, outcome) in zip(made, outcomes) {
                guard case .key(let key) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(key.equals(made.key))
            }
            let rewrapped = try enclave.ask(RewrapKey(keys[9], to: .completeUnlessOpen)).get()
            let key = try #require(WrappedFileKey(rewrapped.bytes, of: Self.files[9], .completeUnlessOpen))
            guard case .key(let opened)? = try enclave.ask(UnwrapKeys([key.wrappedKey])).first else {
                Issue.record("the rewrapped key does not open")
                return
            }
            #expect(opened.equals(made[9].key))
        }
    }

    private static let wrapped = WrappedFileKey([UInt8](repeating: 1, count: 40), of: files[1], .complete)!

    @Test("a daemon's refusal arrives, and an answer that was lost is asked for again")
    func daemon() throws {
        let directory = try SocketDirectory()
        let path = directory.path + "/k.sock"
        let daemon = try RemoteKeychainTests.Daemon(path: path, losingFrom: 3)
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: path)
        #expect(try keychain.ask(OpenFileKeys([Self.wrapped])).refusal == FileKeyRefusal(.decode))
        // Answers to another question.
        let refusal = #expect(throws: FileKeyRefusal.self) { try keychain.ask(RewrapFileKey(Self.wrapped, to: .none)) }
        #expect(refusal?.refusal?.rule == .daemonAnswerMalformed)
        let lost = #expect(throws: FileKeyRefusal.self) { try keychain.ask(OpenFileKeys([Self.wrapped])) }
        #expect(lost?.refusal?.rule == .daemonConnectionLost)
        #expect(daemon.requestCount == 4, "it was asked for twice")
    }

    @Test("without a daemon the refusal says so")
    func unreachable() throws {
        let directory = try SocketDirectory()
        let keychain = RemoteKeychain(socketPath: directory.path + "/none.sock")
        let refusal = #expect(throws: FileKeyRefusal.self) {
            try keychain.ask(CreateFileKeys(.complete, for: Self.files))
        }
        #expect(refusal?.code == .notAvailable && refusal?.refusal?.rule == .daemonUnreachable)
    }
}
