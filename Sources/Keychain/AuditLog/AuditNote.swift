import Glibc
import LatchkeyCodeSignature

/// The log's records about itself, by the operation they name.
package enum AuditNote: String, Sendable, CaseIterable {
    /// The previous file has reached its limit; the chain continues here.
    case carriedOn = "log-carried-on"
    /// A record that was incomplete after a crash has been removed.
    case cutAway = "log-cut-away"
    /// The chain was broken. The record names the kept file as its program and the fault as its rule; a new chain
    /// begins.
    case setAside = "log-set-aside"
    /// Events could not be written; the record's count is their number.
    case lost = "log-lost"

    func event(about name: String = "", rule: String = "") -> AuditEvent {
        AuditEvent(
            program: name, team: nil, level: .c, processID: getpid(), userID: getuid(), executableDigest: [],
            operation: rawValue, itemClass: "", accessGroup: "", code: 0, rule: rule)
    }
}
