import Glibc
import LatchkeyCodeSignature

/// What the log says of itself, as operations of records.
package enum AuditNote: String, Sendable, CaseIterable {
    /// The file before has reached its limit; the chain goes on here.
    case carriedOn = "log-carried-on"
    /// A record that a crash cut short was cut away.
    case cutAway = "log-cut-away"
    /// The chain was broken: the file named as the program is kept, and a new chain begins. The rule is the fault.
    case setAside = "log-set-aside"
    /// As many events as the record counts could not be written.
    case lost = "log-lost"

    func event(about name: String = "", rule: String = "") -> AuditEvent {
        AuditEvent(
            program: name, team: nil, level: .c, processID: getpid(), userID: getuid(), executableDigest: [],
            operation: rawValue, itemClass: "", accessGroup: "", code: 0, rule: rule)
    }
}
