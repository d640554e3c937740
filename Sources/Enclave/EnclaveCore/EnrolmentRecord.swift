package import LatchkeyAccessControl

/// What the enclave remembers of the fingers enrolled with its sensor: their digest, and the set it stands for.
package struct EnrolmentRecord: Sendable, Equatable {
    package struct Enrolment: Sendable, Equatable {
        /// SHA-256 of what the sensor calls its digest.
        package let digest: [UInt8]
        package let set: EnrolmentSet

        package init(digest: [UInt8], set: EnrolmentSet) {
            self.digest = digest
            self.set = set
        }
    }

    /// Nil: nothing was enrolled when somebody looked last.
    package var enrolment: Enrolment?

    package init(enrolment: Enrolment?) {
        self.enrolment = enrolment
    }

    /// Whether a sensor with this digest is the same as remembered. `digest` is nil where nothing is enrolled.
    package func fits(digest: [UInt8]?) -> Bool {
        enrolment?.digest == digest
    }
}
