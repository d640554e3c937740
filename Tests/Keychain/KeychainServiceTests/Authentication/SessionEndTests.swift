import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

@Suite("Programs that end their contexts, or go away, while a person is asked")
struct SessionEndTests {
    private static let ways: [(AuthenticationPolicy, [Step], AccessControlFlags)] = [
        (.biometry, [], .biometryAny), (.deviceOwner, [.fallback], .userPresence),
    ]

    @Test("ending the context cancels the evaluation and takes the prompt away", arguments: [0, 1])
    func evaluation(way: Int) throws {
        let (policy, steps, _) = Self.ways[way]
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        stage.person.will(steps + [.leave { session.end() }])
        let reply = stage.evaluate(policy, session: session)
        #expect(reply.error == .appCancel && reply.rule == .appCancelled)
        #expect(stage.person.takenAway == 1 && stage.person.stepsLeft == 0)
        #expect(stage.evaluate(policy, session: session).error == .invalidContext)
        #expect(stage.mailbox.count(of: "OpenContext") == stage.mailbox.count(of: "CloseContext"))
    }

    @Test("ending the context cancels an item's call alike", arguments: [0, 1])
    func itemCall(way: Int) throws {
        let (_, steps, flags) = Self.ways[way]
        let stage = try AuthenticationStage()
        try stage.store("a", flags)
        let session = stage.openSession()
        stage.person.will(steps + [.leave { session.end() }])
        let reply = stage.find("a", session: session)
        #expect(reply.code == .authFailed && reply.refusal?.rule == .appCancelled)
        #expect(stage.person.takenAway == 1)
    }

    @Test("an answer that comes after the end opens nothing")
    func lateAnswer() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode)
        let session = stage.openSession()
        let port = LatePort { session.end() }
        stage.service.prompts.attach(local: port)
        let reply = stage.find("a", session: session)
        #expect(reply.code == .authFailed && reply.refusal?.rule == .appCancelled)
        #expect(reply.secrets.isEmpty)
    }

    /// Types the passcode after something else happened, whether anybody still wants it or not.
    private struct LatePort: PromptPort {
        let action: @Sendable () -> Void

        func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
            action()
            return .secret(secret("1234"))
        }
    }

    /// A watcher of a connection, and the test that cuts it.
    private final class Watcher: Sendable {
        private let hangUp = Mutex<(@Sendable () -> Void)?>(nil)

        func watch(_ onHangUp: @escaping @Sendable () -> Void, _ body: () -> Void) {
            hangUp.withLock { $0 = onHangUp }
            body()
            hangUp.withLock { $0 = nil }
        }

        var isWatching: Bool { hangUp.withLock { $0 != nil } }

        func cut() { hangUp.withLock { $0 }?() }
    }

    @Test("a program that goes away takes its prompt with it", arguments: [0, 1])
    func hangUp(way: Int) throws {
        let (policy, steps, flags) = Self.ways[way]
        let stage = try AuthenticationStage()
        try stage.store("a", flags)
        let watcher = Watcher()
        let session = ServiceSession(service: stage.service, watch: { watcher.watch($0, $1) })
        stage.person.will(steps + [.leave { watcher.cut() }])
        #expect(stage.evaluate(policy, session: session).error == .appCancel)
        stage.person.will(steps + [.leave { watcher.cut() }])
        let request = ItemRequest(
            operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: false)
        #expect(stage.service.perform(request, caller: TestKeychain.caller, session: session).code == .authFailed)
        #expect(stage.person.takenAway == 2)
        #expect(!watcher.isWatching)
    }

    @Test("two evaluations at once: one finger after the other, and both end")
    func twoAtOnce() throws {
        let stage = try AuthenticationStage()
        let (first, second) = (stage.openSession(), stage.openSession())
        let other = Mutex<Pending<Result<PolicyFulfilment, AuthenticationRefusal>>?>(nil)
        stage.person.will(
            .leave {
                // The second asks while the first has the reader.
                let pending = Pending { stage.evaluate(.biometry, session: second) }
                other.withLock { $0 = pending }
                stage.mailbox.wait(for: 2, of: "AssessDemand")
                stage.sensor.touch(.matched(.rightIndex))
            }, .match)
        #expect(stage.evaluate(.biometry, session: first).error == nil)
        let pending = try #require(other.withLock { $0 })
        #expect(pending.value.error == nil)
        #expect(stage.person.prompts.count == 2 && stage.person.mostAtOnce == 1)
    }

    @Test("a caller that waits for the reader can be cancelled while another has it")
    func cancelledInLine() throws {
        let stage = try AuthenticationStage()
        let (first, second) = (stage.openSession(), stage.openSession())
        let error = Mutex<AuthenticationError?>(nil)
        stage.person.will(
            .leave {
                let pending = Pending { stage.evaluate(.biometry, session: second) }
                stage.mailbox.wait(for: 2, of: "AssessDemand")
                second.end()
                let ended = pending.value.error
                error.withLock { $0 = ended }
                stage.sensor.touch(.matched(.rightIndex))
            })
        #expect(stage.evaluate(.biometry, session: first).error == nil)
        // Ended in line, or just before it got there: the person never saw its prompt.
        #expect(error.withLock { $0 } == .appCancel)
        #expect(stage.person.prompts.count == 1)
    }

    @Test("a prompt that was answered at once leaves nothing behind that would end the next match")
    func answeredAtOnce() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        for _ in 0..<20 {
            stage.person.will(.cancel)
            #expect(stage.evaluate(.biometry, session: session).error == .userCancel)
        }
        // Every cancelled wait has ended for good: no thread speaks to the enclave any more.
        let messages = stage.mailbox.messages {
            stage.person.will(.match)
            #expect(stage.evaluate(.biometry, session: session).error == nil)
        }
        #expect(messages.filter { $0 == "MatchFinger" }.count == 1)
        #expect(stage.mailbox.messages { stage.sensor.touch(.ended) }.isEmpty)
    }
}
