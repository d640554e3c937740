import Foundation
import Glibc
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

@Suite("A process goes away while a person is asked")
struct PromptFaultTests {
    @Test("a program that is killed while its prompt is open: the prompt is taken away at once")
    func killedProgram() throws {
        let device = try ThrowawayDevice.unlocked()
        try #require(
            try device("add-generic-password -s bank -a anna --require passcode", input: "secret").status == 0)
        let person = WatchedPerson()
        let agent = try person.agent(of: device)
        defer { agent.stop() }
        let program = Process()
        program.executableURL = try Installation.program("latchkey")
        program.arguments = ["find-generic-password", "-s", "bank", "-w", "--device", device.directory]
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = FileHandle.nullDevice
        program.standardError = FileHandle.nullDevice
        try program.run()
        let shown = person.waitForPrompt()
        #expect(shown.prompt.kind == .passcode)
        #expect(shown.prompt.program.hasSuffix("/latchkey"))
        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
        shown.cancellation.wait()
        #expect(shown.cancellation.isCancelled)
    }

    @Test("the agent ends with the prompt: another agent shows it again")
    func otherAgent() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = device.keychain
        try #require(keychain.perform(try guardedItem()).code == .success)
        let second = WatchedPerson(passcode: "246810")
        let secondAgent = try second.agent(of: device)
        defer { secondAgent.stop() }
        let first = WatchedPerson()
        let firstAgent = try first.agent(of: device)
        let call = Pending { keychain.perform(search()) }
        // The agent that registered last comes first.
        _ = first.waitForPrompt()
        firstAgent.stop()
        let reply = call.value
        #expect(reply.code == .success)
        #expect(reply.secrets.first.map { $0.equals(SecretBox(copying: Array("secret".utf8))) } == true)
        #expect(second.prompts == [.passcode])
    }

    @Test("the only agent ends with the prompt: the call fails and says why")
    func lastAgent() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = device.keychain
        try #require(keychain.perform(try guardedItem()).code == .success)
        let person = WatchedPerson()
        let agent = try person.agent(of: device)
        let call = Pending { keychain.perform(search()) }
        _ = person.waitForPrompt()
        agent.stop()
        let reply = call.value
        #expect(reply.code == .authFailed)
        #expect(reply.refusal?.rule == .promptFailed)
    }

    @Test("the daemon is killed: the prompt goes, the call fails, and the next daemon asks again")
    func killedDaemon() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = device.keychain
        try #require(keychain.perform(try guardedItem()).code == .success)
        let person = WatchedPerson()
        let agent = try person.agent(of: device)
        let call = Pending { keychain.perform(search()) }
        let shown = person.waitForPrompt()
        try device.kill("latchkeyd")
        let reply = call.value
        #expect(reply.code == .notAvailable)
        shown.cancellation.wait()
        agent.stop()
        try #require(try device("start").status == 0)
        let patient = WatchedPerson(passcode: "246810")
        let newAgent = try patient.agent(of: device)
        defer { newAgent.stop() }
        #expect(keychain.perform(search()).code == .success)
    }

    @Test("the enclave is killed while the passcode is typed: no evidence survives, nothing hangs")
    func killedEnclave() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = device.keychain
        try #require(keychain.perform(try guardedItem()).code == .success)
        let person = WatchedPerson(passcode: "246810") { try? device.kill("latchkey-enclave") }
        let agent = try person.agent(of: device)
        defer { agent.stop() }
        // The new enclave starts locked, so the passcode opens nothing any more.
        let reply = keychain.perform(search())
        #expect([.interactionNotAllowed, .authFailed, .notAvailable].contains(reply.code))
        #expect(reply.secrets.isEmpty)
    }

    @Test("a context that ends while its prompt is open: the call ends, the prompt goes")
    func endedContext() throws {
        let device = try ThrowawayDevice.unlocked()
        let person = WatchedPerson()
        let agent = try person.agent(of: device)
        defer { agent.stop() }
        let session = device.keychain.openSession()
        let call = Pending { Self.refusal(of: session, reason: "try") }
        let shown = person.waitForPrompt()
        session.end()
        let refusal = call.value
        #expect(refusal?.error == .appCancel)
        #expect(refusal?.refusal.rule == .appCancelled)
        shown.cancellation.wait()
        #expect(shown.cancellation.isCancelled)
    }

    @Test("two programs ask at once: one agent shows one prompt after the other, both get their answer")
    func twoAtOnce() throws {
        let device = try ThrowawayDevice.unlocked()
        let person = WatchedPerson(passcode: "246810")
        let agent = try person.agent(of: device)
        defer { agent.stop() }
        let calls = (0..<2).map { _ in
            let session = device.keychain.openSession()
            return Pending { Self.refusal(of: session, reason: "both") }
        }
        for call in calls { #expect(call.value == nil) }
        #expect(person.prompts == [.passcode, .passcode])
    }

    /// Evaluates a policy. Nil if it is fulfilled.
    private static func refusal(of session: any AuthenticationSession, reason: String) -> AuthenticationRefusal? {
        do throws(AuthenticationRefusal) {
            try session.ask(EvaluatePolicy(.deviceOwner, Interaction(reason: reason)))
            return nil
        } catch {
            return error
        }
    }
}

private func guardedItem() throws -> ItemRequest {
    let control = try AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .devicePasscode)
    return ItemRequest(
        operation: .add,
        query: [
            QueryPair("class", .string("genp")), QueryPair("svce", .string("guarded")),
            QueryPair("accc", .reference(kind: "SecAccessControl", bytes: control.serialised)),
            QueryPair("v_Data", .secret(0)),
        ],
        wantsResult: false, secrets: [SecretBox(copying: Array("secret".utf8))])
}

private func search() -> ItemRequest {
    ItemRequest(
        operation: .find,
        query: [
            QueryPair("class", .string("genp")), QueryPair("svce", .string("guarded")),
            QueryPair("r_Data", .boolean(true)),
        ],
        wantsResult: true)
}

extension ThrowawayDevice {
    fileprivate var keychain: RemoteKeychain { RemoteKeychain(socketPath: directory + "/run/keychain.sock") }
}

/// A person at an agent: gives the passcode, or just looks at the prompt until it is taken away.
private final class WatchedPerson: PromptPort {
    struct Shown: Sendable {
        let prompt: Prompt
        let cancellation: Cancellation
    }

    private let condition = WaitCondition()
    private let shown = Mutex<[Shown]>([])
    private let passcode: String?
    private let beforeAnswer: @Sendable () -> Void

    init(passcode: String? = nil, beforeAnswer: @escaping @Sendable () -> Void = {}) {
        self.passcode = passcode
        self.beforeAnswer = beforeAnswer
    }

    /// Kinds of the prompts, in their order.
    var prompts: [Prompt.Kind] { shown.withLock { $0.map(\.prompt.kind) } }

    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        condition.withLock {
            shown.withLock { $0.append(Shown(prompt: prompt, cancellation: cancellation)) }
            condition.wakeAll()
        }
        guard let passcode else {
            cancellation.wait()
            return .withdrawn
        }
        beforeAnswer()
        return .secret(SecretBox(copying: Array(passcode.utf8)))
    }

    func waitForPrompt() -> Shown {
        condition.withLock {
            while true {
                if let first = shown.withLock({ $0.first }) { return first }
                condition.wait()
            }
        }
    }

    func agent(of device: ThrowawayDevice) throws -> AgentService {
        let agent = AgentService(socketPath: device.directory + "/run/keychain.sock", port: self)
        try agent.start()
        return agent
    }
}
