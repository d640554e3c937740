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

/// Kinds of evidence that a user can still bring.
package struct EvidenceKinds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let match = EvidenceKinds(rawValue: 1)
    package static let passcode = EvidenceKinds(rawValue: 2)
    package static let applicationPassword = EvidenceKinds(rawValue: 4)
}

/// The device's environment, as far as it decides over a constraint beside the evidence.
package struct Circumstances: Sendable, Hashable {
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
