import LatchkeyEnclaveContract
import LatchkeyThreading
import Synchronization

/// Hands every message on to the enclave, and keeps count of them by the names of their types.
final class CountingMailbox: EnclaveMailbox, @unchecked Sendable {
    // Sendable because what changes is only touched inside of the condition's lock.
    private let enclave: any EnclaveMailbox
    private let condition = WaitCondition()
    private var names: [String] = []
    private var refused: Set<String> = []
    private var itemKeys = 0
    private var denial: KeyRefusal?
    private var following: [String: @Sendable () -> Void] = [:]
    private var actions: [String: @Sendable () -> Void] = [:]

    init(_ enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    var keyEpoch: UInt64 { enclave.keyEpoch }

    func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer {
        let name = String(describing: Question.self)
        let (isRefused, action) = condition.withLock {
            names.append(name)
            if let question = question as? UnwrapKeys { itemKeys += question.keys.count { $0.use == .item } }
            condition.wakeAll()
            return (refused.contains(name), actions[name])
        }
        action?()
        defer { condition.withLock { following.removeValue(forKey: name) }?() }
        guard !isRefused else { throw .storage(reason: "the disk is full") }
        if let question = question as? UnwrapKeys, question.keys.allSatisfy({ $0.use == .item }),
            let denial = condition.withLock({ denial }),
            let answer = question.keys.map({ _ in KeyOutcome.refused(denial) }) as? Question.Answer
        {
            return answer
        }
        return try enclave.ask(question)
    }

    /// Runs `body` once, between the enclave's next answer to a message of this name and the service: in the thread
    /// that asked, as if another one were faster.
    func afterNext(_ name: String, _ body: @escaping @Sendable () -> Void) {
        condition.withLock { following[name] = body }
    }

    /// Answers messages of this name as an enclave that cannot write its state, or no longer does.
    func refuse(_ name: String, _ isRefused: Bool = true) {
        condition.withLock {
            if isRefused { refused.insert(name) } else { refused.remove(name) }
        }
    }

    /// Answers for every key of an item that it is not opened, until this is called with nil.
    func deny(_ refusal: KeyRefusal?) { condition.withLock { denial = refusal } }

    /// Runs `action` before a message of this name is handed on.
    func before(_ name: String, _ action: @escaping @Sendable () -> Void) {
        condition.withLock { actions[name] = action }
    }

    /// The messages that `body` sends.
    func messages(of body: () throws -> Void) rethrows -> [String] {
        let before = condition.withLock { names.count }
        try body()
        return condition.withLock { Array(names[before...]) }
    }

    /// Returns the number of keys of items that `body` has opened.
    func itemKeys(openedBy body: () throws -> Void) rethrows -> Int {
        let before = condition.withLock { itemKeys }
        try body()
        return condition.withLock { itemKeys - before }
    }

    func count(of name: String) -> Int { condition.withLock { names.count { $0 == name } } }

    /// Returns when as many messages of the name were sent. Blocks.
    func wait(for count: Int, of name: String) {
        condition.withLock { while names.count(where: { $0 == name }) < count { condition.wait() } }
    }
}
