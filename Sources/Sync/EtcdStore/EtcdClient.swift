internal import Glibc
internal import LatchkeyEtcdMessages
internal import LatchkeyPlainText
internal import LatchkeySecretMemory
internal import LatchkeySyncStore
internal import LatchkeyThreading
internal import Synchronization

/// Calls to the members of a cluster: one after the other, until one answers.
///
/// The outcome of a call that got no answer is unknown, so every call here may be carried out twice.
final class EtcdClient: Sendable {
    private struct State {
        /// The member that answered last.
        var preferred = 0
        var token: Token?
        /// The newest revision of the store that an answer has shown.
        var revision: Int64 = 0
        var handles: [CurlHandle] = []
        /// The last failure that was reported.
        var complaint: String?
    }

    private enum Token {
        case valid(EtcdToken)
        /// The cluster has no users, or this client has no name.
        case none
    }

    let options: EtcdOptions
    private let servers: [ServerAddress]
    private let access: EtcdAccess
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Handles with open connections beyond these are closed: one for each of a few threads.
    private static let idleHandles = 8
    /// A cluster without a leader has one again after about a second; a lone member may be in its start.
    private static let leastAttempts = 3
    /// An answer of ``SyncStore/read(_:)`` in base64, and the object with which it became too much.
    private static let answerLimit = 8 << 20

    init(
        _ servers: [ServerAddress], _ access: EtcdAccess, _ options: EtcdOptions,
        report: @escaping @Sendable (String) -> Void
    ) {
        precondition(!servers.isEmpty, "a cluster has members")
        self.servers = servers
        self.access = access
        self.options = options
        self.report = report
    }

    // MARK: Calls

    /// Carries a transaction out. Returns nil if the answer was too long for it.
    func transact(_ transaction: EtcdTransaction) throws(StoreFailure) -> EtcdTransactionAnswer? {
        let body = HTTPRequest.Body.open(EtcdRequest.body(of: transaction))
        let queries = transaction.operations.count { if case .read = $0 { true } else { false } }
        let answer = try perform { server, token throws(EtcdCallFailure) in
            let bytes = try self.call(server, EtcdRequest.transactionPath, body, token, hasShortAnswer: queries == 0)
            do throws(EtcdAnswerFailure) {
                return try EtcdTransactionAnswer(bytes, queries: queries)
            } catch {
                // A connection that ends within the header leaves an answer without a body.
                throw error == .notJSON(.ended) ? .connection(.absent("the answer broke off")) : .badAnswer
            }
        }
        return answer
    }

    /// Reads as ``transact(_:)``, and asks again if a member answered with a state older than one that was seen.
    func readFresh(_ queries: [EtcdQuery]) throws(StoreFailure) -> EtcdTransactionAnswer? {
        let floor = state.withLock { $0.revision }
        guard let answer = try transact(EtcdTransaction(operations: queries.map { .read($0) })) else { return nil }
        guard answer.revision < floor else { return answer }
        guard queries.contains(where: \.mayBeOld) else {
            // Nothing was newer than this: the greater number was that of a store that went back.
            state.withLock { if $0.revision == floor { $0.revision = answer.revision } }
            return answer
        }
        return try readFresh(
            queries.map { query in
                var query = query
                query.mayBeOld = false
                return query
            })
    }

    /// Notes the revision of something that readers are to see.
    func note(_ revision: Int64) {
        state.withLock { $0.revision = max($0.revision, revision) }
    }

    /// Reads a stream from the preferred member until it ends, is old, or another member is preferred. Throws if it cannot be opened.
    ///
    /// The token is not renewed before: that costs the server a tenth of a second, and a stream that was opened stays open.
    func watch(
        _ ranges: [EtcdKeyRange], from revision: Int64, until end: Cancellation, _ read: (CurlStream.Event) -> Bool
    ) throws(StoreFailure) {
        let body = HTTPRequest.Body.open(EtcdRequest.watch(ranges, from: revision))
        _ = try perform { server, token throws(EtcdCallFailure) in
            let member = self.state.withLock { $0.preferred }
            try self.withHandle { handle throws(EtcdCallFailure) in
                var request = HTTPRequest(
                    server: server, path: EtcdRequest.watchPath,
                    // A member that is cut off ends the stream, instead of keeping silent.
                    headers: ["Grpc-Metadata-hasleader: true"] + Self.headers(token), body: body)
                request.answerLimit = Self.answerLimit
                do throws(HTTPFailure) {
                    _ = try CurlStream.run(
                        request, on: handle, self.options.times, until: end, ageSeconds: self.options.watchSeconds,
                        silenceSeconds: self.options.checkSeconds
                    ) { event in
                        read(event) && self.state.withLock { $0.preferred } == member
                    }
                } catch {
                    throw .connection(error)
                }
            }
        }
    }

    /// Shows name and password again with the next call.
    func forgetToken() {
        state.withLock { $0.token = nil }
    }

    // MARK: Members

    /// Returns nil if the answer was too long.
    private func perform<Answer>(
        _ body: (ServerAddress, EtcdToken?) throws(EtcdCallFailure) -> Answer
    ) throws(StoreFailure) -> Answer? {
        var last = StoreFailure.unreachable(.noAnswer)
        var mayAuthenticate = true
        var attempts = max(Self.leastAttempts, servers.count)
        while attempts > 0 {
            let member = state.withLock { $0.preferred }
            let server = servers[member]
            var shown: EtcdToken?
            do throws(EtcdCallFailure) {
                shown = try token(server)
                let answer = try body(server, shown)
                state.withLock { $0.complaint = nil }
                return answer
            } catch {
                complain("\(server): \(error.words)")
                attempts -= 1
                switch error.kind {
                case .tooLong: return nil
                case .absent: skip(member)
                case .silent:
                    forget(shown)
                    skip(member)
                case .unauthenticated, .notForUsers:
                    guard mayAuthenticate, access.login != nil else { throw .refused(.credentials) }
                    mayAuthenticate = false
                    state.withLock { $0.token = nil }
                    attempts = max(attempts, 1)
                case .store(let failure):
                    // Another member may have another certificate.
                    last = failure
                    guard failure == .refused(.untrusted) else { throw failure }
                    skip(member)
                }
            }
        }
        throw last
    }

    /// Drops a token with which a member did not answer in time, unless there is a newer one.
    ///
    /// A simple token of etcd names the entry of the log with which it was made. A cluster that was restored from a snapshot has
    /// fewer entries, and does not refuse such a token: it waits until it has as many.
    private func forget(_ shown: EtcdToken?) {
        guard let shown else { return }
        state.withLock { state in
            if case .valid(shown)? = state.token { state.token = nil }
        }
    }

    private func skip(_ member: Int) {
        state.withLock { state in
            if state.preferred == member { state.preferred = (member + 1) % servers.count }
        }
    }

    private func complain(_ text: String) {
        let isNew = state.withLock { state in
            defer { state.complaint = text }
            return state.complaint != text
        }
        if isNew { report(PlainText.cut(PlainText.escaped(text), to: 512)) }
    }

    private func call(
        _ server: ServerAddress, _ path: String, _ body: HTTPRequest.Body, _ token: EtcdToken?,
        hasShortAnswer: Bool = false
    ) throws(EtcdCallFailure) -> [UInt8] {
        let answer = try withHandle { handle throws(EtcdCallFailure) in
            var request = HTTPRequest(server: server, path: path, headers: Self.headers(token), body: body)
            request.hasShortAnswer = hasShortAnswer
            request.answerLimit = Self.answerLimit
            do throws(HTTPFailure) {
                return try handle.answer(to: request, self.options.times)
            } catch {
                throw .connection(error)
            }
        }
        guard !answer.isSuccess else { return answer.body }
        guard let refusal = try? EtcdRefusal(answer.body) else {
            let text = PlainText.cut(String(decoding: answer.body.prefix(512), as: UTF8.self), to: 256)
            // A server of another kind, or something between here and the member. The gateway itself refuses some requests in plain text.
            throw answer.status >= 500
                ? .connection(.absent("HTTP \(answer.status)")) : .refused(EtcdRefusal(code: 3, text: text))
        }
        throw .refused(refusal)
    }

    private static func headers(_ token: EtcdToken?) -> [String] {
        // Without "Bearer", as etcd wants it.
        token.map { ["Authorization: \($0.text)"] } ?? []
    }

    /// Returns the token for calls, and shows name and password if there is none.
    private func token(_ server: ServerAddress) throws(EtcdCallFailure) -> EtcdToken? {
        guard let login = access.login else { return nil }
        switch state.withLock({ $0.token }) {
        case .valid(let token)?: return token
        case Token.none?: return nil
        case nil: break
        }
        var token: EtcdToken?
        do throws(EtcdCallFailure) {
            let body = HTTPRequest.Body.secret(EtcdRequest.authentication(of: login.user, password: login.password))
            let bytes = try call(server, EtcdRequest.authenticationPath, body, nil)
            token = try? EtcdToken(bytes)
            guard token != nil else { throw EtcdCallFailure.badAnswer }
        } catch {
            guard error.kind == .notForUsers else { throw error }
        }
        state.withLock { $0.token = token.map { .valid($0) } ?? Token.none }
        return token
    }

    private func withHandle<R>(
        _ body: (CurlHandle) throws(EtcdCallFailure) -> R
    ) throws(EtcdCallFailure) -> R {
        guard let handle = state.withLock({ $0.handles.popLast() }) ?? CurlHandle(access.connection) else {
            throw .connection(.absent("no memory"))
        }
        defer {
            state.withLock { state in
                if state.handles.count < Self.idleHandles { state.handles.append(handle) }
            }
        }
        return try body(handle)
    }
}
