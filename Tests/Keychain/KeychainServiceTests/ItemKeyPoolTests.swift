import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization
import Testing

@testable import LatchkeyKeychainService

@Suite struct ItemKeyPoolTests {
    /// Makes keys that tell their number, and counts how often it is asked.
    private final class CountingEnclave: EnclaveMailbox {
        struct State {
            var epoch: UInt64 = 1
            var requests = 0
            var made: UInt8 = 0
            var isLocked = false
        }

        let state = Mutex(State())

        var keyEpoch: UInt64 { state.withLock { $0.epoch } }

        func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer {
            guard let question = question as? CreateKeys, question.use == .item,
                let answer = make(question.count) as? Question.Answer
            else { throw .malformed(reason: "") }
            return answer
        }

        private func make(_ count: Int) -> Result<[CreatedKey], KeyRefusal> {
            state.withLock { state in
                state.requests += 1
                guard !state.isLocked else { return .failure(.locked) }
                return .success(
                    (0..<count).map { _ in
                        state.made &+= 1
                        return CreatedKey(key: SecretBox(copying: [state.made]), wrapped: [state.made])
                    })
            }
        }

        func lock() {
            state.withLock { state in
                state.epoch += 1
                state.isLocked = true
            }
        }
    }

    private static let plain = AccessControl(protection: .whenUnlocked)

    @Test("keys are given once each, and most of them without asking the enclave")
    func everyKeyOnce() throws {
        let enclave = CountingEnclave()
        let pool = ItemKeyPool(enclave: enclave)
        let keys = try (0..<100).map { _ in try pool.take(.whenUnlocked, binding: Self.plain, context: nil).wrapped }
        #expect(Set(keys).count == 100)
        #expect(enclave.state.withLock { $0.requests } <= 10)
    }

    @Test("classes and access controls do not share keys")
    func kinds() throws {
        let enclave = CountingEnclave()
        let pool = ItemKeyPool(enclave: enclave)
        _ = try pool.take(.whenUnlocked, binding: Self.plain, context: nil)
        _ = try pool.take(
            .whenUnlocked, binding: try AccessControl(protection: .whenUnlocked, flags: .devicePasscode), context: nil)
        _ = try pool.take(.always, binding: AccessControl(protection: .always), context: nil)
        #expect(enclave.state.withLock { $0.requests } == 3)
    }

    @Test("a new key epoch leaves none: a locked class is refused although keys were at hand")
    func epoch() throws {
        let enclave = CountingEnclave()
        let pool = ItemKeyPool(enclave: enclave)
        _ = try pool.take(.whenUnlocked, binding: Self.plain, context: nil)
        enclave.lock()
        #expect {
            _ = try pool.take(.whenUnlocked, binding: Self.plain, context: nil)
        } throws: { error in
            if case Setback.key(.locked)? = error as? Setback { true } else { false }
        }
    }
}
