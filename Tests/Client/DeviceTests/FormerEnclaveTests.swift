import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization
import Testing

/// An upgrade leaves the enclave running. To requests that it does not know it gives the answer that every enclave gives to
/// an unknown number.
@Suite("An enclave that runs since before an upgrade")
struct FormerEnclaveTests {
    private static let unknown = EnclaveMessageCodec.encode(EnclaveRefusal.malformed(reason: "unknownKind(33)"))

    private static func wrapping() -> WrapSyncKey {
        WrapSyncKey(
            SecretBox(copying: [UInt8](repeating: 1, count: 32)), under: .afterFirstUnlockThisDeviceOnly,
            binding: [UInt8](repeating: 2, count: EnclaveLimits.syncBindingByteCount))
    }

    private func enclave(
        _ directory: SocketDirectory,
        answering: @escaping @Sendable (any EnclaveQuestion) -> EnclaveMessageCodec.Encoded? = { _ in nil }
    ) throws -> (process: RemoteEnclaveTests.Process, enclave: RemoteEnclave) {
        let process = try RemoteEnclaveTests.Process(directory, answering: answering)
        return (process, try RemoteEnclave(socketPath: directory.path + "/e.sock"))
    }

    @Test("is known by not knowing the question for its revision")
    func revision() throws {
        let directory = try SocketDirectory()
        defer { RemoteEnclaveTests.remove(directory) }
        let (process, enclave) = try enclave(directory) { $0 is AskRevision ? Self.unknown : nil }
        defer { process.stop() }
        let revision = try enclave.ask(AskRevision())
        #expect(revision == .first && revision.isFormer && revision.needsRestart)
        // All else is as before.
        #expect(try enclave.ask(AskStatus()).lockState == .noPasscode)
        _ = try enclave.ask(Self.wrapping()).get()
    }

    @Test("a request that it does not know is refused with the commands that finish the upgrade")
    func unknownRequest() throws {
        let directory = try SocketDirectory()
        defer { RemoteEnclaveTests.remove(directory) }
        let (process, enclave) = try enclave(directory) { $0 is AskRevision || $0 is WrapSyncKey ? Self.unknown : nil }
        defer { process.stop() }
        let refusal = #expect(throws: EnclaveRefusal.self) { _ = try enclave.ask(Self.wrapping()) }
        #expect(refusal == .malformed(reason: EnclaveRevision.requestIsUnknown))
        #expect(EnclaveRevision.requestIsUnknown.contains("latchkey start"))
    }

    @Test("a refusal of an enclave of this revision keeps its reason")
    func present() throws {
        let directory = try SocketDirectory()
        defer { RemoteEnclaveTests.remove(directory) }
        let (process, enclave) = try enclave(directory) { $0 is WrapSyncKey ? Self.unknown : nil }
        defer { process.stop() }
        let refusal = #expect(throws: EnclaveRefusal.self) { _ = try enclave.ask(Self.wrapping()) }
        #expect(refusal == .malformed(reason: "unknownKind(33)"))
        let revision = try enclave.ask(AskRevision())
        #expect(!revision.isFormer && !revision.needsRestart)
        #expect(EnclaveRevision(isReplaced: true).needsRestart)
        // One of a later upgrade, which a daemon of today meets if it was not restarted.
        #expect(!EnclaveRevision(EnclaveRevision.presentNumber + 1, isReplaced: false).isFormer)
    }
}
