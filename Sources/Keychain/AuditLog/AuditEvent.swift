package import LatchkeyCodeSignature

/// An event of the audit log: an operation that a program performed or was refused. It contains no attribute values and
/// no secrets.
package struct AuditEvent: Sendable, Hashable {
    /// `TEAM.bundle`, or the path of an unsigned program.
    package var program: String
    /// Nil for an unsigned program.
    package var team: TeamIdentifier?
    package var level: AssuranceLevel
    /// 0 if the caller is in this process or only declared.
    package var processID: Int32
    package var userID: UInt32
    /// SHA-256 of the executable without its signature; empty if it was not computed.
    package var executableDigest: [UInt8]
    /// For instance `find`, `unlock`, `trust-team`.
    package var operation: String
    /// For instance `genp`, `inet`; empty for operations on the device.
    package var itemClass: String
    package var accessGroup: String
    /// The `OSStatus` of the answer.
    package var code: Int32
    /// The rule of the refusal; empty for a success.
    package var rule: String

    package init(
        program: String, team: TeamIdentifier?, level: AssuranceLevel, processID: Int32, userID: UInt32,
        executableDigest: [UInt8], operation: String, itemClass: String, accessGroup: String, code: Int32, rule: String
    ) {
        self.program = program
        self.team = team
        self.level = level
        self.processID = processID
        self.userID = userID
        self.executableDigest = executableDigest
        self.operation = operation
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.code = code
        self.rule = rule
    }
}
