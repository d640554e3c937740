package import LatchkeyEncoding

/// The user's proofs to an authentication context, each with its time by the device's uptime.
package struct Evidence: Sendable, Hashable {
    package struct Match: Sendable, Hashable {
        package let uptime: Uptime
        /// The fingers that were enrolled at the time of the match.
        package let enrolmentSet: EnrolmentSet

        package init(uptime: Uptime, enrolmentSet: EnrolmentSet) {
            self.uptime = uptime
            self.enrolmentSet = enrolmentSet
        }
    }

    package var passcodeUptime: Uptime?
    package var match: Match?
    package var hasApplicationPassword: Bool

    package init(passcodeUptime: Uptime? = nil, match: Match? = nil, hasApplicationPassword: Bool = false) {
        self.passcodeUptime = passcodeUptime
        self.match = match
        self.hasApplicationPassword = hasApplicationPassword
    }

    package static let none = Evidence()
}
