import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyThreading

/// The class keys that hosts have opened, by the contexts for which they serve.
final class EscrowSessions: Sendable {
    private struct Session {
        let keys: ClassKeys
        let moment: Moment
        var lastUse: Uptime
    }

    /// The device as it was when the host presented its keybag: when it changes, the session is over.
    struct Moment: Equatable {
        /// Changes when the device restarts or is locked remotely (``DeviceState/era``).
        let era: UInt64
        let passcodeSalt: [UInt8]
    }

    static let idleSeconds: Double = 600

    private let sessions = ForkMutex<[ContextIdentifier: Session]>([:])

    func begin(_ keys: ClassKeys, at moment: Moment, uptime: Uptime, in context: ContextIdentifier) {
        sessions.withLock { $0[context] = Session(keys: keys, moment: moment, lastUse: uptime) }
    }

    /// The class keys of a context; nil if it has none, or none any more.
    func keys(in context: ContextIdentifier, at moment: Moment, uptime: Uptime) -> ClassKeys? {
        sessions.withLock { sessions in
            guard var session = sessions[context] else { return nil }
            guard session.moment == moment, uptime - session.lastUse < Self.idleSeconds else {
                sessions[context] = nil
                return nil
            }
            session.lastUse = uptime
            sessions[context] = session
            return session.keys
        }
    }

    func end(_ context: ContextIdentifier) {
        sessions.withLock { $0[context] = nil }
    }

    func endAll() {
        sessions.withLock { $0 = [:] }
    }

    /// Wipes the keys of sessions that were not used for long. Other programs may never ask again.
    func expire(uptime: Uptime) {
        sessions.withLock { sessions in
            guard !sessions.isEmpty else { return }
            sessions = sessions.filter { uptime - $0.value.lastUse < Self.idleSeconds }
        }
    }

    /// The uptime at which ``expire(uptime:)`` has an effect; nil if it never has.
    var nextExpiry: Uptime? {
        sessions.withLock { $0.values.map(\.lastUse).min().map { $0 + Self.idleSeconds } }
    }
}
