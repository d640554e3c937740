/// The environment of a verdict: the state of the device, as far as it decides over a constraint beside the evidence.
package struct DeviceEnvironment: Sendable, Hashable {
    package enum ClassKey: Sendable, Hashable, CaseIterable {
        case available
        case locked
        /// It does not exist: `akpu` without a passcode.
        case missing
    }

    package enum Biometry: Sendable, Hashable {
        case usable(EnrolmentSet)
        /// `rule` is one of the biometry rules; the set is known where fingers are enrolled.
        case unusable(rule: VerdictRule, EnrolmentSet?)

        package var enrolmentSet: EnrolmentSet? {
            switch self {
            case .usable(let set): set
            case .unusable(_, let set): set
            }
        }
    }

    package var classKey: ClassKey
    package var hasPasscode: Bool
    package var biometry: Biometry

    package init(classKey: ClassKey = .available, hasPasscode: Bool, biometry: Biometry) {
        self.classKey = classKey
        self.hasPasscode = hasPasscode
        self.biometry = biometry
    }
}
