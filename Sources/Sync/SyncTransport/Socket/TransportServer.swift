package import LatchkeyLocalTransport
internal import LatchkeySecretMemory
internal import LatchkeySyncStore
internal import LatchkeyThreading

/// Serves the store to the daemon alone. A thread for each connection; one that waits for changes sleeps.
package struct TransportServer: Sendable {
    private let server: Server

    /// The daemon needs as many connections as its pool has, and one that waits. Those of a killed daemon remain for a moment.
    private static let connectionLimit = 128

    /// - Parameter beforeEach: called before each question is answered.
    package init(
        _ stores: TransportStores, listener: Listener, daemon: ProgramAdmission,
        log: @escaping @Sendable (String) -> Void, beforeEach: @escaping @Sendable () -> Void = {}
    ) {
        server = Server(
            listener: listener, shares: .undivided(limit: Self.connectionLimit),
            admission: { daemon.admission(of: $0) }, log: log
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() {
                guard message.secrets.isEmpty, let call = try? TransportCall(message.body) else {
                    connection.refuse(.malformed(.unreadableBody))
                    throw .malformed(.unreadableBody)
                }
                beforeEach()
                try connection.send(WireMessage(body: Self.answer(call, stores, connection)))
            }
        }
    }

    package func start() throws(TransportFailure) {
        try server.start()
    }

    package func stop() {
        server.stop()
    }

    private static func answer(
        _ call: TransportCall, _ stores: TransportStores, _ connection: ServerConnection
    ) -> [UInt8] {
        let end = Cancellation(seconds: call.waitSeconds.map(Double.init))
        guard call.waitSeconds != nil else { return call.answer(by: stores, until: end) }
        return connection.hangUpWatch.run(onHangUp: { end.cancel() }) { call.answer(by: stores, until: end) }
    }
}
