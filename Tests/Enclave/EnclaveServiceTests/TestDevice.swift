import Foundation
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

/// Random bytes that are the same in every run.
final class SeededEntropy: Entropy {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        state.withLock { state in
            for index in bytes.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = UInt8(truncatingIfNeeded: state >> 33)
            }
        }
    }
}

/// The files of an enclave.
extension TemporaryDirectory {
    var storage: String { path + "/enclave" }

    func bytes(of file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: storage + "/" + file)))
    }

    func put(_ bytes: [UInt8], in file: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: storage + "/" + file))
    }
}

func passcode(_ text: String) -> SecretBox {
    SecretBox(copying: Array(text.utf8))
}

/// An enclave in a temporary directory, with a clock in hand and a cheap passcode.
struct TestDevice {
    let directory: TemporaryDirectory
    let clock: HandClock
    let entropy: SeededEntropy
    let enclave: EnclaveService
    let sensor: ScriptedSensor

    init(
        in directory: TemporaryDirectory? = nil, clock: HandClock = HandClock(), seed: UInt64 = 1,
        sensor: ScriptedSensor = ScriptedSensor(), atPoint: CrashPointHook? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        self.clock = clock
        self.sensor = sensor
        entropy = SeededEntropy(seed: seed)
        let storage = try FileEnclaveStorage(
            directory: directory.storage, entropy: entropy, testOnlyAtPoint: atPoint)
        enclave = try EnclaveService(
            storage: storage, clock: clock, entropy: entropy, passcodeCost: .fixed(log2Cost: 4), sensor: sensor)
    }

    /// A device with passcode 1234, unlocked.
    static func withPasscode() throws -> TestDevice {
        let device = try TestDevice()
        try device.expectDone(SetPasscode(passcode("1234")))
        return device
    }

    /// The same directory after the process ended; the clock runs on.
    func reopened(seed: UInt64 = 99) throws -> TestDevice {
        try TestDevice(in: directory, clock: clock, seed: seed, sensor: sensor)
    }

    func outcome(of question: some EnclaveQuestion) -> Result<any EnclaveAnswer, EnclaveRefusal> {
        do throws(EnclaveRefusal) {
            return .success(try enclave.ask(question))
        } catch {
            return .failure(error)
        }
    }

    func expectDone(
        _ question: some EnclaveQuestion<some AnswerToAct>, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = outcome(of: question)
        guard case .success(let answer as any AnswerToAct) = outcome, answer.isDone else {
            Issue.record("expected done, got \(outcome)", sourceLocation: location)
            throw Unexpected()
        }
    }

    func refusal(
        of question: some EnclaveQuestion, _ location: SourceLocation = #_sourceLocation
    ) throws -> EnclaveRefusal {
        switch outcome(of: question) {
        case .failure(let refusal):
            return refusal
        case .success(let answer):
            Issue.record("expected a refusal, got \(answer)", sourceLocation: location)
            throw Unexpected()
        }
    }

    var status: EnclaveStatus {
        get throws { try enclave.ask(AskStatus()) }
    }

    /// A new key of a class: of a file for file classes, else of an item.
    func create(_ keyClass: KeyClass, use: KeyUse = .item, binding: [UInt8] = []) -> Result<CreatedKey, KeyRefusal> {
        if let protection = keyClass.fileProtection { return createFileKey(protection) }
        do throws(EnclaveRefusal) {
            return try enclave.ask(CreateKey(keyClass, use, binding: binding)).map { made in
                let wrappedKey = WrappedKey(keyClass: keyClass, use: use, binding: binding, bytes: made.wrapped)
                return CreatedKey(key: made.key, wrapped: wrappedKey)
            }
        } catch {
            Issue.record("creating a key was refused: \(error)")
            return .failure(.damaged)
        }
    }

    /// Nil if the key opened to what it was, else why not.
    func refusalToOpen(_ created: CreatedKey) -> KeyRefusal? {
        guard let outcomes = try? enclave.ask(UnwrapKeys([created.wrapped])), outcomes.count == 1 else {
            Issue.record("one wrapped key does not get one answer")
            return nil
        }
        switch outcomes[0] {
        case .key(let key):
            #expect(key.equals(created.key), "a wrapped key opens to another key")
            return nil
        case .refused(let refusal):
            return refusal
        }
    }

    /// A key of every class that has one now.
    func keysOfAllClasses() -> [KeyClass: CreatedKey] {
        KeyClass.allCases.reduce(into: [:]) { keys, keyClass in
            if case .success(let key) = create(keyClass) { keys[keyClass] = key }
        }
    }
}

struct CreatedKey {
    let key: SecretBox
    let wrapped: WrappedKey
}

struct Unexpected: Error {}
