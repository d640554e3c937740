import LatchkeyAccessControl

/// The numbers of cases that have names elsewhere. The order of a list is part of the format: add new members at the
/// end.
enum MessageNames {
    static let operations: [GuardedOperation] = [
        .attest, .agreeOnKey, .decrypt, .decapsulate, .delete, .encrypt, .sign, .other,
    ]

    static let rules: [VerdictRule] = [
        .classKeyLocked, .classKeyMissing, .operationNotGranted, .passcodeNotSet, .biometryNotAvailable,
        .biometryNotEnrolled, .biometryLockedOut, .biometryDisconnected, .biometryNotPaired, .companionNotAvailable,
        .enrolmentChanged,
    ]

    static let fingers: [Finger] = [
        .leftThumb, .leftIndex, .leftMiddle, .leftRing, .leftLittle, .rightThumb, .rightIndex, .rightMiddle,
        .rightRing, .rightLittle,
    ]
}
