extension Constraint {
    /// The verdict of evidence and environment, or the evidence that would help. Only its input decides.
    package func verdict(evidence: Evidence, environment: DeviceEnvironment) -> Verdict {
        switch self {
        case .always:
            return .granted
        case .companion:
            return .refused(.companionNotAvailable)
        case .passcode:
            guard environment.hasPasscode else { return .refused(.passcodeNotSet) }
            return evidence.passcodeUptime == nil ? .needs(.passcode) : .granted
        case .deviceOwner:
            guard environment.hasPasscode else { return .refused(.passcodeNotSet) }
            if evidence.passcodeUptime != nil || evidence.hasMatch(in: environment) { return .granted }
            return .needs(environment.biometry.isUsable ? [.match, .passcode] : .passcode)
        case .biometry, .biometryOfSet(nil):
            return Self.biometryVerdict(evidence: evidence, environment: environment)
        case .biometryOfSet(let set?):
            if environment.biometry.hasLost(set) { return .refused(.enrolmentChanged) }
            return Self.biometryVerdict(evidence: evidence, environment: environment)
        case .all(let parts):
            return .all(parts.map { $0.verdict(evidence: evidence, environment: environment) })
        case .any(let parts):
            return .any(parts.map { $0.verdict(evidence: evidence, environment: environment) })
        }
    }

    /// False where no answer of the sensor can turn this evidence into a grant, nor end the constraint for good.
    package func dependsOnBiometry(with evidence: Evidence) -> Bool {
        switch self {
        case .always, .passcode, .companion: false
        case .deviceOwner: evidence.passcodeUptime == nil && evidence.match != nil
        case .biometry, .biometryOfSet(nil): evidence.match != nil
        case .biometryOfSet: true
        case .all(let parts), .any(let parts): parts.contains { $0.dependsOnBiometry(with: evidence) }
        }
    }

    /// True if the state of the sensor can matter to the verdict.
    package var isAboutBiometry: Bool {
        switch self {
        case .always, .passcode, .companion: false
        case .deviceOwner, .biometry, .biometryOfSet: true
        case .all(let parts), .any(let parts): parts.contains(where: \.isAboutBiometry)
        }
    }

    private static func biometryVerdict(evidence: Evidence, environment: DeviceEnvironment) -> Verdict {
        if environment.hasPasscode, evidence.hasMatch(in: environment) { return .granted }
        if case .unusable(let rule, _) = environment.biometry { return .refused(rule) }
        return environment.hasPasscode ? .needs(.match) : .refused(.passcodeNotSet)
    }
}

extension Verdict {
    /// Every part is needed. One that can never be fulfilled again says more than one that is only refused now.
    static func all(_ parts: [Verdict]) -> Verdict {
        let refusals = parts.compactMap(\.rule)
        if refusals.contains(.enrolmentChanged) { return .refused(.enrolmentChanged) }
        if let refusal = refusals.first { return .refused(refusal) }
        let needed = parts.reduce(into: AuthenticationFactors()) { $0.formUnion($1.needed) }
        return needed.isEmpty ? .granted : .needs(needed)
    }

    /// One part is enough. The enrolment set that is gone is named only if there is no other way at all.
    static func any(_ parts: [Verdict]) -> Verdict {
        if parts.contains(.granted) { return .granted }
        let needed = parts.reduce(into: AuthenticationFactors()) { $0.formUnion($1.needed) }
        if !needed.isEmpty { return .needs(needed) }
        let refusals = parts.compactMap(\.rule)
        return .refused(refusals.first { $0 != .enrolmentChanged } ?? .enrolmentChanged)
    }

    fileprivate var needed: AuthenticationFactors {
        if case .needs(let kinds) = self { kinds } else { [] }
    }

    fileprivate var rule: VerdictRule? {
        if case .refused(let rule) = self { rule } else { nil }
    }
}

extension Evidence {
    /// A match counts only while what was enrolled then still is.
    fileprivate func hasMatch(in environment: DeviceEnvironment) -> Bool {
        guard let match, let present = environment.biometry.enrolmentSet else { return false }
        return match.enrolmentSet == present
    }
}

extension DeviceEnvironment.Biometry {
    fileprivate var isUsable: Bool {
        if case .usable = self { true } else { false }
    }

    /// True if it is certain that something else than `set` is enrolled now, or nothing. A sensor that cannot be asked
    /// says neither.
    fileprivate func hasLost(_ set: EnrolmentSet) -> Bool {
        switch self {
        case .usable(let present), .unusable(_, let present?): present != set
        case .unusable(.biometryNotEnrolled, nil): true
        case .unusable(_, nil): false
        }
    }
}
