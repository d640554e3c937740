extension AccessControl {
    /// The constraint on an operation, beside the class key and the application password; nil if it is not granted at
    /// all.
    package func constraint(for operation: GuardedOperation) -> Constraint? {
        let operations = operations
        guard let requirement = operations[operation] ?? operations[.other] else { return nil }
        return requirement == .nothing ? .always : constraint
    }

    /// The conditions in the form in which they are evaluated.
    package var constraint: Constraint {
        let named: [(AccessControlFlags, Constraint)] = [
            (.userPresence, .deviceOwner), (.biometryAny, .biometry),
            (.biometryCurrentSet, .biometryOfSet(enrolmentSet)), (.devicePasscode, .passcode),
            (.companion, .companion),
        ]
        let parts = named.filter { flags.contains($0.0) }.map(\.1)
        guard parts.count > 1 else { return parts.first ?? .always }
        return needsOnlyOneCondition ? .any(parts) : .all(parts)
    }

    /// The verdict on an operation. The class key comes first: without it no evidence helps. Deleting does not need it.
    package func verdict(
        for operation: GuardedOperation, evidence: Evidence, environment: DeviceEnvironment
    ) -> Verdict {
        if operation != .delete {
            switch environment.classKey {
            case .available: break
            case .locked: return .refused(.classKeyLocked)
            case .missing: return .refused(.classKeyMissing)
            }
        }
        guard let constraint = constraint(for: operation) else { return .refused(.operationNotGranted) }
        let conditions = constraint.verdict(evidence: evidence, environment: environment)
        guard needsApplicationPassword, operation != .delete else { return conditions }
        return .all([conditions, evidence.hasApplicationPassword ? .granted : .needs(.applicationPassword)])
    }
}

extension AuthenticationPolicy {
    /// The policy as a constraint.
    package var constraint: Constraint {
        switch self {
        case .deviceOwner: .deviceOwner
        case .biometry, .biometryOrCompanion: .biometry
        case .companion, .wristDetection: .companion
        }
    }

    /// The verdict on a policy: has the user proved what it asks for? The class key does not matter.
    package func verdict(evidence: Evidence, environment: DeviceEnvironment) -> Verdict {
        constraint.verdict(evidence: evidence, environment: environment)
    }
}
