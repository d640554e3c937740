import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite("The enclave behind a socket")
struct RemoteEnclaveTests {
    /// An enclave of this process behind a real socket.
    final class Process: Sendable {
        let service: EnclaveService
        private let server: Server

        /// - Parameter answering: an answer that is given instead of the service's; nil leaves the service's.
        init(
            _ directory: SocketDirectory,
            answering: @escaping @Sendable (any EnclaveQuestion) -> EnclaveMessageCodec.Encoded? = { _ in nil }
        ) throws {
            let service = try EnclaveService(
                storage: try FileEnclaveStorage(directory: directory.path + "/enclave"), clock: SystemClock(),
                entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 2))
            self.service = service
            server = Server(
                listener: try Listener(path: directory.path + "/e.sock"), admission: { _ in .allowed }, log: { _ in }
            ) { connection throws(TransportFailure) in
                while let message = try connection.receive() {
                    guard
                        let question = try? EnclaveMessageCodec.decodeQuestion(
                            body: message.body, secrets: message.secrets)
                    else { return }
                    let (body, secrets) = answering(question) ?? Self.reply(to: question, by: service)
                    try connection.send(WireMessage(body: body, secrets: secrets))
                }
            }
            try server.start()
        }

        private static func reply(
            to question: some EnclaveQuestion, by service: EnclaveService
        ) -> EnclaveMessageCodec.Encoded {
            do throws(EnclaveRefusal) {
                return EnclaveMessageCodec.encode(try service.ask(question))
            } catch {
                return EnclaveMessageCodec.encode(error)
            }
        }

        func stop() {
            server.stop()
        }
    }

    private let passcode = SecretBox(copying: Array("1234".utf8))

    static func remove(_ directory: SocketDirectory) {
        for name in ["uid", "keybag", "effaceable", "attempts", "lock"] { unlink("\(directory.path)/enclave/\(name)") }
        rmdir(directory.path + "/enclave")
    }

    @Test("the epoch is known from the start and changes before a lock is answered")
    func epochAfterCalls() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        #expect(try enclave.ask(AskStatus()).keyEpoch == enclave.keyEpoch)
        let questions: [any EnclaveQuestion<Done>] = [
            SetPasscode(passcode), LockDevice(immediately: true), UnlockDevice(passcode),
        ]
        for question in questions {
            let before = enclave.keyEpoch
            #expect(try enclave.ask(question) == Done())
            #expect(enclave.keyEpoch != before)
            #expect(try enclave.ask(AskStatus()).keyEpoch == enclave.keyEpoch)
        }
    }

    @Test("keys are made and opened through the socket")
    func keys() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        let made = try enclave.ask(CreateKey(.always, .metadata, binding: [1])).get()
        let good = WrappedKey(keyClass: .always, use: .metadata, binding: [1], bytes: made.wrapped)
        let altered = WrappedKey(keyClass: .always, use: .metadata, binding: [2], bytes: made.wrapped)
        let outcomes = try enclave.ask(UnwrapKeys([good, altered]))
        guard outcomes.count == 2, case .key(let opened) = outcomes[0], case .refused(.damaged) = outcomes[1] else {
            Issue.record("the keys were not answered each for itself")
            return
        }
        #expect(opened.equals(made.key))
    }

    @Test("an answer about more or fewer keys than were asked for is refused") func counts() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let key = CreatedKey(key: SecretBox(copying: [UInt8](repeating: 1, count: 32)), wrapped: [1])
        let process = try Process(directory) { question in
            switch question {
            case is DescribeKeys: EnclaveMessageCodec.encode([KeyDescription]())
            case is UnwrapKeys: EnclaveMessageCodec.encode([KeyOutcome.refused(.locked), .refused(.locked)])
            case is CreateKeys: EnclaveMessageCodec.encode(Result<[CreatedKey], KeyRefusal>.success([key]))
            default: nil
            }
        }
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        let wrapped = WrappedKey(keyClass: .always, use: .metadata, binding: [], bytes: [1])
        let questions: [any EnclaveQuestion] = [
            DescribeKeys([[1]]), UnwrapKeys([wrapped]), CreateKeys(.always, .metadata, binding: [], count: 2),
        ]
        for question in questions {
            let refusal = #expect(throws: EnclaveRefusal.self) { _ = try enclave.ask(question) }
            guard case .malformed? = refusal else {
                Issue.record("\(type(of: question)) was answered with \(String(describing: refusal))")
                continue
            }
        }
    }

    @Test("a change that another process made arrives by itself and is announced")
    func changeFromElsewhere() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        _ = try enclave.ask(SetPasscode(passcode))
        let announced = Announcements()
        enclave.whenKeysChange { announced.count.withLock { $0 += 1 } }
        let before = enclave.keyEpoch
        _ = try process.service.ask(LockDevice(immediately: true))
        eventually { enclave.keyEpoch != before && announced.count.withLock { $0 } > 0 }
        #expect(try enclave.ask(AwaitKeyChange(after: before)).value == enclave.keyEpoch)
    }

    @Test("a change that a call learns of first is announced, too")
    func changeDuringAnnouncement() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        _ = try enclave.ask(SetPasscode(passcode))
        let before = enclave.keyEpoch
        let announced = Mutex<[UInt64]>([])
        enclave.whenKeysChange { [weak enclave, passcode] in
            guard let enclave, enclave.keyEpoch != before else { return }
            let isFirst = announced.withLock { epochs in
                epochs.append(enclave.keyEpoch)
                return epochs.count == 1
            }
            // The watch is between two questions now: this call is the one that takes the next epoch.
            if isFirst { _ = try? enclave.ask(UnlockDevice(passcode)) }
        }
        _ = try process.service.ask(LockDevice(immediately: true))
        eventually { announced.withLock { $0.last == enclave.keyEpoch && $0.count > 1 } }
    }

    @Test("an enclave that is lost and comes back never shows an epoch of before")
    func lostAndBack() throws {
        let directory = try SocketDirectory()
        defer { Self.remove(directory) }
        let first = try Process(directory)
        let revivals = Announcements()
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock") { revivals.count.withLock { $0 += 1 } }
        var seen = [enclave.keyEpoch]
        first.stop()
        eventually { enclave.keyEpoch != seen[0] && revivals.count.withLock { $0 } > 0 }
        seen.append(enclave.keyEpoch)
        let refusal = #expect(throws: EnclaveRefusal.self, "a lost enclave answered") {
            try enclave.ask(AskStatus())
        }
        guard case .storage? = refusal else {
            Issue.record("a lost enclave refuses with \(String(describing: refusal))")
            return
        }
        let second = try Process(directory)
        defer { second.stop() }
        eventually { enclave.keyEpoch != seen[1] }
        #expect(!seen.contains(enclave.keyEpoch))
        #expect(try enclave.ask(AskStatus()).keyEpoch == enclave.keyEpoch)
    }

    final class Announcements: Sendable {
        let count = Mutex(0)
    }
}
