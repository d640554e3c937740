/// Every way this program can end, one constant per failure (`Docs/CLI-ABI.md`).
///
/// Numbers are never used twice; a retired one stays here as a comment. The codes 36, 44, 45, 51 and 128 are
/// what macOS's `security` answers for the same refusals, so that scripts which test for them keep working.
package enum ExitReason: Int32, Sendable, CaseIterable {
    case success = 0
    /// A failure that has no number of its own; the message says which.
    case failure = 1

    // Reaching the device.
    case deviceUnreachable = 10
    case startFailed = 11
    case stopFailed = 12
    case unsafePermissions = 13
    case deviceInUse = 14
    case deviceDamaged = 15
    case deviceStorage = 16
    /// The audit log is not as it was written.
    case auditLogBroken = 17
    /// `latchkey doctor`: something that this kind of installation promises is missing.
    case installationIncomplete = 18

    // Answers of the enclave.
    case wrongPasscode = 20
    case attemptsDelayed = 21
    case deviceDisabled = 22
    case deviceErased = 23
    case passcodeNeeded = 24
    case passcodeAlreadySet = 25
    case noPasscodeSet = 26
    case passcodeUnusable = 27
    /// No finger counts now: no reader, nothing enrolled, locked out; the message says which.
    case biometryUnavailable = 28
    /// A finger was not enrolled or not removed; the message says why.
    case enrolmentFailed = 29

    // Input and output of this program.
    case secretInArguments = 30
    case secretUnreadable = 31
    case inputUnreadable = 32
    case inputMalformed = 33
    case partlyTransferred = 34
    case secretsToTerminal = 35

    /// -25308: the item's class is locked, or a prompt is needed and not possible or not allowed.
    case locked = 36
    case notConfirmed = 37
    case ambiguousItem = 38
    /// The output is there already, and was not asked to be replaced.
    case outputExists = 39

    /// Any other result code of the keychain; the message names it.
    case keychainRefused = 40
    /// -34018: the access group is not this program's.
    case accessGroupRefused = 41
    /// The reader was not touched in time.
    case nobodyThere = 42
    /// There is neither a terminal nor a pinentry to prompt with.
    case noPrompt = 43

    /// -25300: no item fits.
    case itemNotFound = 44
    /// -25299: the item exists already.
    case duplicateItem = 45

    // Teams and apps of the device.
    /// The device has never heard of the team, the app or the host.
    case notRegistered = 46
    /// Another key is pinned under the team's identifier.
    case teamKeyDiffers = 47
    /// A prefix of groups belongs to another team.
    case teamAliasTaken = 77

    /// A step of `latchkey tour` failed.
    case tourStepFailed = 50
    /// -25293: authentication failed.
    case authenticationFailed = 51

    // Keys.
    /// The key cannot do this, or not with this: its kind, its size, another curve.
    case keyUnsuitable = 48
    /// The key is in the enclave, and the command would have to take it out.
    case keyNotExportable = 49

    // Signatures of programs.
    case notSigned = 52
    case signatureMalformed = 53
    case programChanged = 54
    case signatureWrong = 55
    case severalSignatures = 56
    case notSignable = 57
    case alreadySigned = 58
    case entitlementsRefused = 59
    case teamKeyUnusable = 60
    /// Not the passphrase of the key or the file.
    case wrongPassphrase = 61
    /// `latchkey key verify`: the signature is not of this key over these bytes.
    case signatureNotVerified = 62
    /// `latchkey decrypt`: another password, or the file was altered. The two cannot be told apart.
    case notAuthentic = 63

    /// The arguments make no sense; the same number that `sysexits.h` calls `EX_USAGE`.
    case usage = 64

    // Sync.
    /// The device is in a circle, or waits to be admitted to one.
    case alreadyInCircle = 66
    /// Not a code, or the store has nothing that it opens.
    case codeWrong = 67
    /// The device was removed, its admission is void, or no member has approved it.
    case notApproved = 68
    case storeUnreachable = 69
    case storeRefused = 70
    case identityDuplicated = 71
    case circleDamaged = 72
    case notInCircle = 74

    // The kit for packages.
    /// There is no kit, or not one of this version.
    case kitMissing = 75
    /// Another compiler made the kit.
    case kitUnsuitable = 76

    /// A protected file is damaged; the number of `EX_DATAERR` in `sysexits.h`.
    case fileDamaged = 65
    /// The output of `encrypt` or `decrypt` could not be written; `sysexits.h` calls the number `EX_CANTCREAT`.
    case outputNotWritten = 73
    /// -128: the user refused at the prompt of the device.
    case cancelled = 128
    /// Interrupted by the user at the terminal: 128 + SIGINT.
    case interrupted = 130
}
