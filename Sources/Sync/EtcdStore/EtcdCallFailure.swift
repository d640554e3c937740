internal import Glibc
internal import LatchkeyEtcdMessages
internal import LatchkeySyncStore

/// A reason for which a call of etcd was not carried out.
enum EtcdCallFailure: Error, Hashable, Sendable {
    case connection(HTTPFailure)
    case refused(EtcdRefusal)
    case badAnswer

    /// The kinds of failures that the client tells apart.
    enum Kind: Hashable {
        /// Another member may do it, or this one later.
        case absent
        /// The same, and the member has the request: the token that was shown with it may be what it waits for.
        case silent
        /// The name and password have to be shown again.
        case unauthenticated
        /// The token belongs to a state of the users that is over.
        case notForUsers
        case tooLong
        case store(StoreFailure)
    }

    var kind: Kind {
        switch self {
        case .connection(.absent): .absent
        case .connection(.silent): .silent
        case .connection(.untrusted): .store(.refused(.untrusted))
        case .connection(.credentials): .store(.refused(.credentials))
        case .connection(.tooLong): .tooLong
        case .badAnswer: .store(.system(EPROTO))
        case .refused(let refusal): refusal.kind
        }
    }

    /// The failure as a line of a log.
    var words: String {
        switch self {
        case .connection(.absent(let text)), .connection(.silent(let text)), .connection(.untrusted(let text)),
            .connection(.credentials(let text)):
            text
        case .connection(.tooLong): "the answer is too long"
        case .badAnswer: "the answer is not one of etcd"
        case .refused(let refusal): refusal.text
        }
    }
}

extension EtcdRefusal {
    /// The numbers are those of gRPC. Texts are looked at where one number has several meanings.
    fileprivate var kind: EtcdCallFailure.Kind {
        switch code {
        // Unavailable, deadline exceeded, aborted, cancelled: no leader, a leader that changed, a time that is over.
        case 14, 4, 10, 1: return .absent
        case 16: return .unauthenticated
        case 7: return .store(.refused(.permission))
        case 9 where text.contains("authentication is not enabled"): return .notForUsers
        case 8:
            if text.contains("database space exceeded") { return .store(.refused(.quota)) }
            return text.contains("larger than max") ? .tooLong : .absent
        default: break
        }
        if text.contains("revision of auth store is old") || text.contains("user name is empty") {
            return .unauthenticated
        }
        if text.contains("authentication failed") || text.contains("user name not found")
            || text.contains("CommonName of client")
        {
            return .store(.refused(.credentials))
        }
        if text.contains("request is too large") { return .tooLong }
        // Unknown and internal: what a member reports whose own calls fail.
        if code == 2 || code == 13 || text.contains("context deadline exceeded") { return .absent }
        return .store(.system(EPROTO))
    }
}
