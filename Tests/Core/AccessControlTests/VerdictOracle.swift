import LatchkeyAccessControl

/// The rules of evaluation once more, from the flags themselves and written the other way round: an atom is fulfilled,
/// or still can be, or is out of reach.
enum VerdictOracle {
    enum Standing: Equatable {
        case fulfilled
        case reachable(AuthenticationFactors)
        case outOfReach(VerdictRule)
    }

    struct Case {
        var flags: AccessControlFlags
        var boundSet: EnrolmentSet?
        var operation: GuardedOperation
        var evidence: Evidence
        var environment: DeviceEnvironment
    }

    static func verdict(_ row: Case) -> Verdict {
        if row.operation == .delete { return .granted }
        if row.environment.classKey == .locked { return .refused(.classKeyLocked) }
        if row.environment.classKey == .missing { return .refused(.classKeyMissing) }

        let guardsKeys = row.flags.contains(.privateKeyUsage)
        let isKeyUse = [.sign, .agreeOnKey, .decapsulate].contains(row.operation)
        let atoms = AccessControlFlags.conditions.intersection(row.flags)
        var standings: [Standing] = []
        if guardsKeys {
            guard isKeyUse || row.operation == .attest else { return .refused(.operationNotGranted) }
            if isKeyUse { standings = self.standings(of: atoms, row) }
        } else if !atoms.isEmpty {
            guard row.operation == .decrypt || row.operation == .encrypt else {
                return .refused(.operationNotGranted)
            }
            if row.operation == .decrypt { standings = self.standings(of: atoms, row) }
        }

        let password: Standing =
            !row.flags.contains(.applicationPassword) || row.evidence.hasApplicationPassword
            ? .fulfilled : .reachable(.applicationPassword)
        let combined: Standing =
            row.flags.contains(.or) && atoms.rawValue.nonzeroBitCount > 1 && !standings.isEmpty
            ? oneOf(standings) : everyOne(standings)
        return switch everyOne([combined, password]) {
        case .fulfilled: .granted
        case .reachable(let kinds): .needs(kinds)
        case .outOfReach(let rule): .refused(rule)
        }
    }

    /// In the order of the flags' bits, passcode before companion.
    private static func standings(of atoms: AccessControlFlags, _ row: Case) -> [Standing] {
        var standings: [Standing] = []
        for bit in 0..<16 where atoms.rawValue & 1 << UInt64(bit) != 0 {
            standings.append(standing(ofBit: bit, row))
        }
        return standings
    }

    private static func standing(ofBit bit: Int, _ row: Case) -> Standing {
        let hasPasscode = row.environment.hasPasscode
        var present: EnrolmentSet?
        var obstacle: VerdictRule?
        switch row.environment.biometry {
        case .usable(let set): present = set
        case .unusable(let rule, let set): (present, obstacle) = (set, rule)
        }
        let isMatched = present != nil && row.evidence.match?.enrolmentSet == present
        switch bit {
        case 0:
            if !hasPasscode { return .outOfReach(.passcodeNotSet) }
            if isMatched || row.evidence.passcodeUptime != nil { return .fulfilled }
            return .reachable(obstacle == nil ? [.passcode, .match] : [.passcode])
        case 3
        where row.boundSet != nil && (obstacle == .biometryNotEnrolled || present != nil && present != row.boundSet):
            return .outOfReach(.enrolmentChanged)
        case 1, 3:
            if hasPasscode, isMatched { return .fulfilled }
            if let obstacle { return .outOfReach(obstacle) }
            return hasPasscode ? .reachable(.match) : .outOfReach(.passcodeNotSet)
        case 4:
            if !hasPasscode { return .outOfReach(.passcodeNotSet) }
            return row.evidence.passcodeUptime != nil ? .fulfilled : .reachable(.passcode)
        default:
            return .outOfReach(.companionNotAvailable)
        }
    }

    private static func everyOne(_ standings: [Standing]) -> Standing {
        if standings.contains(.outOfReach(.enrolmentChanged)) { return .outOfReach(.enrolmentChanged) }
        for case .outOfReach(let rule) in standings { return .outOfReach(rule) }
        return union(of: standings) ?? .fulfilled
    }

    private static func oneOf(_ standings: [Standing]) -> Standing {
        if standings.contains(.fulfilled) { return .fulfilled }
        if let reachable = union(of: standings) { return reachable }
        for case .outOfReach(let rule) in standings where rule != .enrolmentChanged { return .outOfReach(rule) }
        return .outOfReach(.enrolmentChanged)
    }

    private static func union(of standings: [Standing]) -> Standing? {
        var kinds: AuthenticationFactors = []
        for case .reachable(let more) in standings { kinds.formUnion(more) }
        return kinds.isEmpty ? nil : .reachable(kinds)
    }
}
