/// A reason for which a statement is not valid. It depends on the statement and its past alone, except for the limits.
package enum StatementRefusal: Error, Equatable, Sendable {
    case otherCircle
    /// A circle has one founding statement.
    case anotherFounding
    /// The signature or the keys are wrong.
    case notVerified(StatementFailure)
    /// The author was not a member, or its recovery keys were not current.
    case authorNotMember
    case wrongIndex(expected: Int, found: Int)
    case wrongEpochNumber(expected: UInt32, found: EpochNumber)
    /// The past of a share or of an admission has no such epoch.
    case unknownEpoch
    /// The past of a removal has no admission of the device.
    case unknownDevice
    /// A device ends its own membership with `leave`.
    case removesItself
    /// Identifiers of devices that were removed or left are not used again.
    case deviceDeparted
    case circleFull
    case tooManyStatementsOfAuthor
    case tooManyStatements
}
