import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

@testable import Security

/// A context object with a session that remembers its calls.
final class TestContext: NSObject, AuthenticationContextObject {
    final class Session: AuthenticationSession {
        let requests = Mutex<[ItemRequest]>([])
        /// Does what is asked about keys.
        let keys = EnclaveKeychain()
        private let reply: ItemReply

        init(reply: ItemReply) {
            self.reply = reply
        }

        func ask<Question: AuthenticationQuestion>(
            _ question: Question
        ) throws(AuthenticationRefusal) -> Question.Answer {
            throw .contextEnded
        }

        func perform(_ request: ItemRequest) -> ItemReply {
            requests.withLock { $0.append(request) }
            return reply
        }

        func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
            try keys.ask(question)
        }

        func end() {}
    }

    let session: Session
    var interaction = Interaction(reason: "to test")

    init(reply: ItemReply = ItemReply(code: .success)) {
        session = Session(reply: reply)
        super.init()
    }

    var authenticationSession: any AuthenticationSession { session }
    var requests: [ItemRequest] { session.requests.withLock { $0 } }
    var keys: EnclaveKeychain { session.keys }
}
