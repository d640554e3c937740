import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveCore
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

        init(_ directory: SocketDirectory) throws {
            let service = try EnclaveService(
                storage: try FileEnclaveStorage(directory: directory.path + "/enclave"), clock: SystemClock(),
                entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 2))
            self.service = service
            server = Server(
                listener: try Listener(path: directory.path + "/e.sock"), admission: { _ in .allowed }, log: { _ in }
            ) { connection throws(TransportFailure) in
                while let message = try connection.receive() {
                    guard
                        let request = try? EnclaveMessageCodec.decodeRequest(
                            body: message.body, secrets: message.secrets)
                    else { return }
                    let (body, secrets) = EnclaveMessageCodec.encode(service.perform(request))
                    try connection.send(WireMessage(body: body, secrets: secrets))
                }
            }
            try server.start()
        }

        func stop() {
            server.stop()
        }
    }

    private let passcode = SecretBox(copying: Array("1234".utf8))

    private func remove(_ directory: SocketDirectory) {
        for name in ["uid", "keybag", "effaceable", "attempts", "lock"] { unlink("\(directory.path)/enclave/\(name)") }
        rmdir(directory.path + "/enclave")
    }

    private func epoch(_ reply: EnclaveReply) -> UInt64? {
        if case .status(let status) = reply { status.keyEpoch } else { nil }
    }

    @Test("the epoch is known from the start and changes before a lock is answered")
    func epochAfterCalls() throws {
        let directory = try SocketDirectory()
        defer { remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        #expect(epoch(enclave.perform(.status)) == enclave.keyEpoch)
        for request in [
            EnclaveRequest.setPasscode(new: passcode), .lock(immediately: true), .unlock(passcode: passcode),
        ] {
            let before = enclave.keyEpoch
            guard case .done = enclave.perform(request) else {
                Issue.record("\(request) was not done")
                return
            }
            #expect(enclave.keyEpoch != before)
            #expect(epoch(enclave.perform(.status)) == enclave.keyEpoch)
        }
    }

    @Test("keys are made and opened through the socket")
    func keys() throws {
        let directory = try SocketDirectory()
        defer { remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        guard
            case .created(let key, let wrapped) = enclave.perform(
                .createKey(keyClass: .always, use: .metadata, binding: [1]))
        else {
            Issue.record("no key")
            return
        }
        let good = WrappedKey(keyClass: .always, use: .metadata, binding: [1], bytes: wrapped)
        let altered = WrappedKey(keyClass: .always, use: .metadata, binding: [2], bytes: wrapped)
        guard case .keys(let outcomes) = enclave.perform(.unwrapKeys([good, altered])), outcomes.count == 2,
            case .key(let opened) = outcomes[0], case .refused(.damaged) = outcomes[1]
        else {
            Issue.record("the keys were not answered each for itself")
            return
        }
        #expect(opened.equals(key))
    }

    @Test("a change that somebody else made arrives by itself and is announced")
    func changeFromElsewhere() throws {
        let directory = try SocketDirectory()
        defer { remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        _ = enclave.perform(.setPasscode(new: passcode))
        let announced = Announcements()
        enclave.whenKeysChange { announced.count.withLock { $0 += 1 } }
        let before = enclave.keyEpoch
        _ = process.service.perform(.lock(immediately: true))
        eventually { enclave.keyEpoch != before && announced.count.withLock { $0 } > 0 }
        guard case .changed(let now) = enclave.perform(.waitForChange(epoch: before)) else {
            Issue.record("the change was not answered")
            return
        }
        #expect(now == enclave.keyEpoch)
    }

    @Test("a change that a call learns of first is announced, too")
    func changeDuringAnnouncement() throws {
        let directory = try SocketDirectory()
        defer { remove(directory) }
        let process = try Process(directory)
        defer { process.stop() }
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock")
        _ = enclave.perform(.setPasscode(new: passcode))
        let before = enclave.keyEpoch
        let announced = Mutex<[UInt64]>([])
        enclave.whenKeysChange { [weak enclave, passcode] in
            guard let enclave, enclave.keyEpoch != before else { return }
            let isFirst = announced.withLock { epochs in
                epochs.append(enclave.keyEpoch)
                return epochs.count == 1
            }
            // The watch is between two questions now: this call is the one that takes the next epoch.
            if isFirst { _ = enclave.perform(.unlock(passcode: passcode)) }
        }
        _ = process.service.perform(.lock(immediately: true))
        eventually { announced.withLock { $0.last == enclave.keyEpoch && $0.count > 1 } }
    }

    @Test("an enclave that is lost and comes back never shows an epoch of before")
    func lostAndBack() throws {
        let directory = try SocketDirectory()
        defer { remove(directory) }
        let first = try Process(directory)
        let revivals = Announcements()
        let enclave = try RemoteEnclave(socketPath: directory.path + "/e.sock") { revivals.count.withLock { $0 += 1 } }
        var seen = [enclave.keyEpoch]
        first.stop()
        eventually { enclave.keyEpoch != seen[0] && revivals.count.withLock { $0 } > 0 }
        seen.append(enclave.keyEpoch)
        guard case .refused(.storage) = enclave.perform(.status) else {
            Issue.record("a lost enclave answered")
            return
        }
        let second = try Process(directory)
        defer { second.stop() }
        eventually { enclave.keyEpoch != seen[1] }
        #expect(!seen.contains(enclave.keyEpoch))
        #expect(epoch(enclave.perform(.status)) == enclave.keyEpoch)
    }

    final class Announcements: Sendable {
        let count = Mutex(0)
    }
}
