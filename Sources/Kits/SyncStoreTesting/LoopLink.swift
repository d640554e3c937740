package import LatchkeySyncStore
package import LatchkeySyncTransport
package import LatchkeyThreading
internal import Synchronization

/// A transport in the process of a test: every call goes through the bytes of both directions.
package final class LoopLink: TransportLink {
    /// The messages so far, and what is to happen to them.
    package struct Log: Sendable {
        package var questions: [[UInt8]] = []
        package var answers: [[UInt8]] = []
        /// Thrown instead of an answer.
        package var failure: TransportLinkFailure?
        /// Given instead of an answer.
        package var forged: [UInt8]?

        package init() {}
    }

    private let stores: TransportStores
    private let state = Mutex(Log())

    /// - Parameter text: names the store.
    package init(_ root: any CircleStores, text: String = "folder:/loop") {
        stores = TransportStores(root, text: text)
    }

    package var log: Log {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    package func call(_ body: [UInt8], until end: Cancellation?) throws(TransportLinkFailure) -> [UInt8] {
        let (failure, forged) = state.withLock { state in
            state.questions.append(body)
            return (state.failure, state.forged)
        }
        if let failure { throw failure }
        if let forged { return forged }
        guard let call = try? TransportCall(body) else { throw .refused }
        let wait = Cancellation(seconds: call.waitSeconds.map(Double.init))
        end?.whenCancelled { wait.cancel() }
        let answer = call.answer(by: stores, until: wait)
        state.withLock { $0.answers.append(answer) }
        guard end?.isCancelled != true else { throw .cancelled }
        return answer
    }
}
