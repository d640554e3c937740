/// The keychain's side of one `LAContext`. It keeps the user's evidence until it ends.
package protocol AuthenticationSession: Sendable {
    /// Blocks while the user is prompted.
    @discardableResult
    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer
    /// Returns a closure to run later, on another thread, in place of ``ask(_:)``. Does not block. A requirement of the
    /// protocol, so that a session can inspect the caller while it is still on the caller's thread.
    func prepared<Question: EvaluationQuestion>(
        _ question: Question
    ) -> @Sendable () throws(AuthenticationRefusal) -> Question.Answer
    /// Performs an item call. It may use the session's evidence, and adds to it.
    func perform(_ request: ItemRequest) -> ItemReply
    /// Asks about an enclave key, with evidence as for an item call.
    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer
    /// Ends the session and forgets its evidence. A running call ends with ``AuthenticationError/appCancel``.
    func end()
}

extension AuthenticationSession {
    package func prepared<Question: EvaluationQuestion>(
        _ question: Question
    ) -> @Sendable () throws(AuthenticationRefusal) -> Question.Answer {
        { () throws(AuthenticationRefusal) in try ask(question) }
    }
}
