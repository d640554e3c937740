package import LatchkeyAccessControl

/// The enclave's record of the enrolled fingers: the digest from the sensor, and the enrolment set for it.
package struct EnrolmentRecord: Sendable, Equatable {
    package struct Enrolment: Sendable, Equatable {
        /// SHA-256 of the digest that the sensor reports.
        package let digest: [UInt8]
        package let set: EnrolmentSet

        package init(digest: [UInt8], set: EnrolmentSet) {
            self.digest = digest
            self.set = set
        }
    }

    /// Nil if nothing was enrolled at the last survey.
    package var enrolment: Enrolment?

    package init(enrolment: Enrolment?) {
        self.enrolment = enrolment
    }

    /// Returns true if the sensor's digest equals the recorded one. `digest` is nil if nothing is enrolled.
    package func fits(digest: [UInt8]?) -> Bool {
        enrolment?.digest == digest
    }
}
