import EnclaveCore
import Synchronization
import Threading

/// Hands every message on to the enclave, and keeps count of them by their names.
final class CountingMailbox: EnclaveMailbox, @unchecked Sendable {
    // Sendable because what changes is only touched inside of the condition's lock.
    private let enclave: any EnclaveMailbox
    private let condition = WaitCondition()
    private var names: [String] = []

    init(_ enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    var keyEpoch: UInt64 { enclave.keyEpoch }

    func perform(_ request: EnclaveRequest) -> EnclaveReply {
        condition.withLock {
            names.append(request.testName)
            condition.wakeAll()
        }
        return enclave.perform(request)
    }

    /// The messages that `body` sends.
    func messages(of body: () throws -> Void) rethrows -> [String] {
        let before = condition.withLock { names.count }
        try body()
        return condition.withLock { Array(names[before...]) }
    }

    func count(of name: String) -> Int { condition.withLock { names.count { $0 == name } } }

    /// Returns when as many messages of the name were sent. Blocks.
    func wait(for count: Int, of name: String) {
        condition.withLock { while names.count(where: { $0 == name }) < count { condition.wait() } }
    }
}

extension EnclaveRequest {
    fileprivate var testName: String {
        switch self {
        case .context(let request): "context." + Self.name(of: request)
        case .biometry(let request): "biometry." + Self.name(of: request)
        default: Self.name(of: self)
        }
    }

    /// The name of the case, without what it holds: no secret is ever part of it.
    private static func name(of request: some Any) -> String {
        Mirror(reflecting: request).children.first?.label ?? "\(request)"
    }
}
