internal import LatchkeySyncStore
package import LatchkeyThreading

/// A message of the daemon that was understood, on the side of the transport.
package struct TransportCall: Sendable {
    private let question: any TransportQuestion

    /// Throws for bytes that are not a question: the connection is over then.
    package init(_ body: [UInt8]) throws(TransportMessageFailure) {
        question = try TransportCoding.decodeQuestion(body)
    }

    /// The greatest number of seconds that the answer may take. Nil if it comes at once.
    package var waitSeconds: Int? { question.waitSeconds }

    /// Carries the call out.
    ///
    /// - Parameter end: cancelled when the daemon does not wait any more.
    package func answer(by stores: TransportStores, until end: Cancellation) -> [UInt8] {
        Self.answer(question, stores, end)
    }

    private static func answer(
        _ question: some TransportQuestion, _ stores: TransportStores, _ end: Cancellation
    ) -> [UInt8] {
        do throws(StoreFailure) {
            return TransportCoding.encode(try question.answer(by: stores, until: end), to: question)
        } catch {
            return TransportCoding.encode(error)
        }
    }
}
