/// The keychain's side of one `LAContext`. It keeps the user's evidence until it ends.
package protocol AuthenticationSession: Sendable {
    /// Blocks while the user is prompted.
    func perform(_ request: AuthenticationRequest) -> AuthenticationReply
    /// Returns a closure to run later, on another thread, in place of ``perform(_:)``. Does not block. A requirement of
    /// the protocol, so that a session can inspect the caller while it is still on the caller's thread.
    func prepared(_ request: AuthenticationRequest) -> @Sendable () -> AuthenticationReply
    /// Performs an item call. It may use the session's evidence, and adds to it.
    func perform(_ request: ItemRequest) -> ItemReply
    /// Performs a key call, with evidence as for an item call.
    func perform(_ request: KeyRequest) -> KeyReply
    /// Ends the session and forgets its evidence. A running call ends with ``AuthenticationError/appCancel``.
    func end()
}

extension AuthenticationSession {
    package func prepared(_ request: AuthenticationRequest) -> @Sendable () -> AuthenticationReply {
        { perform(request) }
    }
}
