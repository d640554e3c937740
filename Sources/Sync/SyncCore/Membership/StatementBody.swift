internal import LatchkeyPropertyListDER

/// The fact that a statement records.
package enum StatementBody: Hashable, Sendable {
    case found(Founding)
    case admit(Admission)
    case remove(Removal)
    case leave(Leave)
    case epoch(Epoch)
    case share(Sharing)
    case recovery(RecoveryReplacement)
    case settings(CircleSettings)

    /// The epoch that the statement creates.
    package var epoch: Epoch? {
        switch self {
        case .epoch(let epoch): epoch
        case .remove(let removal): removal.epoch
        case .found, .admit, .leave, .share, .recovery, .settings: nil
        }
    }

    /// The recovery keys that the statement introduces. Their holder signs it too.
    package var recoveryKeys: RecoveryPublicKeys? {
        switch self {
        case .found(let founding): founding.recovery
        case .remove(let removal): removal.recovery
        case .recovery(let replacement): replacement.keys
        case .admit, .leave, .epoch, .share, .settings: nil
        }
    }

    /// The keys of the device that the statement makes a member.
    package var deviceKeys: DevicePublicKeys? {
        switch self {
        case .found(let founding): founding.keys
        case .admit(let admission): admission.keys
        case .remove, .leave, .epoch, .share, .recovery, .settings: nil
        }
    }

    /// The settings that the statement makes.
    package var settings: CircleSettings? {
        switch self {
        case .found(let founding): founding.settings
        case .settings(let settings): settings
        case .admit, .remove, .leave, .epoch, .share, .recovery: nil
        }
    }

    /// True for the statements that devices sign with the log key, unattended.
    package var isSignedWithLogKey: Bool {
        switch self {
        case .epoch, .share: true
        case .found, .admit, .remove, .leave, .recovery, .settings: false
        }
    }

    /// True for the statements that the holder of recovery keys may write.
    package var isAllowedForRecovery: Bool {
        switch self {
        case .admit, .remove: true
        case .found, .leave, .epoch, .share, .recovery, .settings: false
        }
    }
}

extension StatementBody {
    /// The number of the kind in the encoding, and the fields.
    var encoded: (kind: Int64, value: PropertyValue) {
        switch self {
        case .found(let founding): (1, founding.value)
        case .admit(let admission): (2, admission.value)
        case .remove(let removal): (3, removal.value)
        case .leave(let leave): (4, leave.value)
        case .epoch(let epoch): (5, epoch.value)
        case .share(let sharing): (6, sharing.value)
        case .recovery(let replacement): (7, replacement.value)
        case .settings(let settings): (8, settings.value)
        }
    }

    init(kind: Int64, _ value: PropertyValue) throws(StatementFailure) {
        switch kind {
        case 1: self = .found(try Founding(value))
        case 2: self = .admit(try Admission(value))
        case 3: self = .remove(try Removal(value))
        case 4: self = .leave(try Leave(value))
        case 5: self = .epoch(try Epoch(value, field: "b"))
        case 6: self = .share(try Sharing(value))
        case 7: self = .recovery(try RecoveryReplacement(value))
        case 8: self = .settings(try CircleSettings(value, field: "b"))
        default: throw .unknownBody(kind)
        }
    }
}
