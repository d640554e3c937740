import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The evaluations and reads of one app, as far as they tell if an evaluation's Boolean guards a secret.
///
/// The rule: an evaluation of a policy succeeded, and the next secret that the app reads, other than those it had
/// already read without one, has no conditions of its own. Reading an item that has conditions ends the suspicion: the
/// evaluation was for that item.
struct EvaluationTrail: Sendable {
    /// An evaluation succeeded, and the app has not read a secret since.
    private var isPending = false
    /// Secrets that the app read while no evaluation was pending: they need none.
    private var freelyRead: Set<Set<QueryPair>> = []

    mutating func evaluated() {
        isPending = true
    }

    /// Notes a read. True if an evaluation may be what guards it, so that its conditions decide.
    mutating func isGuarding(_ query: SecretQuery) -> Bool {
        guard isPending else {
            freelyRead.insert(query.name)
            return false
        }
        return !freelyRead.contains(query.name)
    }

    /// Takes a read for what the evaluation was made for. True if nothing but the evaluation guards it.
    mutating func read(_ query: SecretQuery, _ conditions: SecretQuery.Conditions) -> Bool {
        guard isPending else { return false }
        isPending = false
        return conditions == .none
    }

    /// A find that returned the data of items.
    struct SecretQuery: Sendable {
        enum Conditions: Sendable, Hashable {
            case none
            case some
            case unknown
        }

        /// The object of the search, without options about prompts and results.
        let name: Set<QueryPair>
        private let query: [QueryPair]

        init?(_ request: ItemRequest, _ reply: ItemReply) {
            guard request.operation == .find, reply.code == .success, !reply.secrets.isEmpty else { return nil }
            query = request.query
            name = Set(query.filter { !$0.isAbout(["r_", "m_Limit", "u_"]) })
        }

        /// The items' conditions, from a find of their attributes that may not prompt.
        func conditions(in keychain: any Keychain) -> Conditions {
            let question =
                query.filter { !$0.isAbout(["r_", "u_AuthUI", "u_AuthCtx", "u_NoAuthUI", "u_OpPrompt"]) }
                + [QueryPair("r_Attributes", .boolean(true)), QueryPair("u_AuthUI", .string("u_AuthUIF"))]
            let reply = keychain.perform(ItemRequest(operation: .find, query: question, wantsResult: true))
            switch (reply.code, reply.result) {
            case (.success, .dictionary(let item)?): return Self.hasConditions([item]) ? .some : .none
            case (.success, .array(let items)?):
                let dictionaries = items.compactMap { item in
                    if case .dictionary(let attributes) = item { attributes } else { nil }
                }
                return Self.hasConditions(dictionaries) ? .some : .none
            case (.interactionNotAllowed, _): return .some
            default: return .unknown
            }
        }

        private static func hasConditions(_ items: [[String: PropertyValue]]) -> Bool {
            items.contains { item in
                guard case .reference(_, let bytes)? = item[.accessControl] else { return false }
                return (try? AccessControl(serialised: bytes))?.isConstrained ?? true
            }
        }
    }
}

extension QueryPair {
    /// Returns true if the key begins with one of these.
    func isAbout(_ beginnings: [String]) -> Bool {
        guard case .string(let name) = key else { return false }
        return beginnings.contains { name.hasPrefix($0) }
    }
}
