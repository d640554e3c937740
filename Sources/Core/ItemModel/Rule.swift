package import LatchkeyAccessControl

/// A rule that refuses a call. Raw values are stable names for people and scripts; a retired name is never reused.
/// `Docs/RefusalRules.md` lists the rules in this order, with their codes and advice.
package enum Rule: String, Sendable, Hashable, CaseIterable {
    // MARK: The query

    case classMissing = "class-missing"
    case unknownClass = "unknown-class"
    case classContradictsReference = "class-contradicts-reference"
    case referenceWithAttributes = "reference-with-attributes"
    case unknownKey = "unknown-key"
    case unknownAttribute = "unknown-attribute"
    case keyNotText = "key-not-text"
    case duplicateKey = "duplicate-key"
    case keyNotAllowedHere = "key-not-allowed-here"
    case tooManyPairs = "too-many-pairs"
    case textNotWellFormed = "text-not-well-formed"
    case dateOutOfRange = "date-out-of-range"
    case valueKind = "value-kind"
    case noPlaceForResult = "no-place-for-result"
    case privateAttribute = "private-attribute"
    case matchForCertificates = "match-for-certificates"
    case matchForInternetPasswords = "match-for-internet-passwords"
    case noAuthenticationContext = "no-authentication-context"
    case contextAndCredential = "context-and-credential"
    case identityWithoutReference = "identity-without-reference"
    case tokenObjectAlone = "token-object-alone"
    case notInThisVersion = "not-in-this-version"

    // MARK: The item and its protection

    case classKeyLocked = "class-key-locked"
    case classKeyMissing = "class-key-missing"
    case synchronizableWithConditions = "synchronizable-with-conditions"
    case accessibilityContradictsAccessControl = "accessibility-contradicts-access-control"
    case accessibilityBesideAccessControl = "accessibility-beside-access-control"
    case badAccessControl = "bad-access-control"
    case privateKeyUsageOnPassword = "private-key-usage-on-password"
    case dataTooLarge = "data-too-large"
    case itemEnded = "item-ended"
    case keyDamaged = "key-damaged"

    // MARK: Keys of the enclave

    case privateKeyUsageMissing = "private-key-usage-missing"
    case badDigest = "bad-digest"
    case badPeer = "bad-peer"
    case enclaveKeyOfOtherKind = "enclave-key-of-other-kind"
    case messageTooLong = "message-too-long"
    case contextStringTooLong = "context-string-too-long"
    case badCiphertext = "bad-ciphertext"
    case enclaveKeyNotHere = "enclave-key-not-here"
    case enclaveKeyDeleted = "enclave-key-deleted"
    case enclaveKeyWithoutClass = "enclave-key-without-class"
    case enclaveKeyInvalidated = "enclave-key-invalidated"
    case tokenImport = "token-import"
    case tokenObjectMissing = "token-object-missing"
    case tokenObjectKind = "token-object-kind"
    case tokenSynchronizable = "token-synchronizable"
    case tokenChange = "token-change"
    case tokenData = "token-data"
    case tokenProtection = "token-protection"
    case tokenAttributes = "token-attributes"

    // MARK: Keys of files

    case fileKeyNotHere = "file-key-not-here"

    // MARK: Backups

    case backupGrantOver = "backup-grant-over"
    case backupPasswordMissing = "backup-password-missing"
    case backupPasswordRefused = "backup-password-refused"
    case backupKeybagUnusable = "backup-keybag-unusable"
    case escrowLimit = "escrow-limit"
    case escrowNeedsPasscode = "escrow-needs-passcode"
    case escrowOver = "escrow-over"

    // MARK: Sync

    case syncNeedsDaemon = "sync-needs-daemon"
    case syncNeedsPasscode = "sync-needs-passcode"
    case syncNeedsUnlock = "sync-needs-unlock"
    case syncNotAMember = "sync-not-a-member"
    case syncAlreadyMember = "sync-already-member"
    case syncRemoved = "sync-removed"
    case syncAdmissionVoid = "sync-admission-void"
    case syncCodeWrong = "sync-code-wrong"
    case syncNoRequest = "sync-no-request"
    case syncUnknownDevice = "sync-unknown-device"
    case syncNeedsInvitation = "sync-needs-invitation"
    case syncNotAlone = "sync-not-alone"
    case syncRemovesItself = "sync-removes-itself"
    case syncIdentityDuplicated = "sync-identity-duplicated"
    case syncMemberLimit = "sync-member-limit"
    case syncStatementLimit = "sync-statement-limit"
    case syncNotPassedOn = "sync-not-passed-on"
    case syncPaused = "sync-paused"
    case syncStoreUnreachable = "sync-store-unreachable"
    case syncStoreRefused = "sync-store-refused"
    case syncStoreOther = "sync-store-other"
    case syncStoreHoldsDevice = "sync-store-holds-device"
    case syncCircleDamaged = "sync-circle-damaged"
    case syncRefused = "sync-refused"
    case syncBusy = "sync-busy"
    case syncNoConflict = "sync-no-conflict"
    case syncGroupNotAllowed = "sync-group-not-allowed"

    // MARK: The program

    case foreignAccessGroup = "foreign-access-group"
    case noAccessGroups = "no-access-groups"
    case appClipGroups = "app-clip-groups"
    case appClipSynchronizable = "app-clip-synchronizable"
    case keychainDenied = "keychain-denied"
    case ownerNeedsPasscode = "owner-needs-passcode"
    case ownerPasscodeRefused = "owner-passcode-refused"
    case ownerAccess = "owner-access"
    case ownerChange = "owner-change"
    case ownerNeedsRoot = "owner-needs-root"
    case teamNotKnown = "team-not-known"
    case teamNameUnusable = "team-name-unusable"
    case teamTrustOver = "team-trust-over"
    case tooManyTeams = "too-many-teams"
    case teamAliasNotKnown = "team-alias-not-known"
    case tooManyTeamAliases = "too-many-team-aliases"
    case ownerItemsElsewhere = "owner-items-elsewhere"
    case notTheOwnersTool = "not-the-owners-tool"
    case otherBuildHasItems = "other-build-has-items"
    case tooManyOwnerTools = "too-many-owner-tools"
    case tooManyFormerPlaces = "too-many-former-places"
    case appNotKnown = "app-not-known"

    // MARK: The program's signature

    case signatureMalformed = "signature-malformed"
    case signatureWrongDigest = "signature-wrong-digest"
    case signatureInvalid = "signature-invalid"
    case signatureTwo = "signature-two"
    case signatureTeamMismatch = "signature-team-mismatch"
    case signatureInterpreter = "signature-interpreter"
    case signatureScript = "signature-script"
    case signatureTooNew = "signature-too-new"
    case entitlementsMalformed = "entitlements-malformed"
    case entitlementsOtherApplication = "entitlements-other-application"
    case entitlementsForeignGroup = "entitlements-foreign-group"
    case teamNotTrusted = "team-not-trusted"
    case teamOtherKey = "team-other-key"
    case teamRevoked = "team-revoked"
    case teamExpired = "team-expired"
    case teamAliasNotPinned = "team-alias-not-pinned"
    case teamAliasTaken = "team-alias-taken"
    case assuranceLevelTooLow = "assurance-level-too-low"
    case otherPIDNamespace = "other-pid-namespace"
    case programUnreadable = "program-unreadable"
    case programMalformed = "program-malformed"
    case programUnwritable = "program-unwritable"
    case signatureNoPlace = "signature-no-place"
    case signatureTooLarge = "signature-too-large"
    case teamKeyUnreadable = "team-key-unreadable"
    case teamKeyEncrypted = "team-key-encrypted"
    case teamKeyPassphrase = "team-key-passphrase"
    case teamKeyKind = "team-key-kind"

    // MARK: Authentication

    case contextEnded = "context-ended"
    case contextLost = "context-lost"
    case appCancelled = "app-cancelled"
    case passcodeNotSet = "passcode-not-set"
    case biometryNotAvailable = "biometry-not-available"
    case biometryNotEnrolled = "biometry-not-enrolled"
    case biometryLockedOut = "biometry-locked-out"
    case companionNotAvailable = "companion-not-available"
    case biometryNotPaired = "biometry-not-paired"
    case biometryDisconnected = "biometry-disconnected"
    case enrolmentChanged = "enrolment-changed"
    case operationNotGranted = "operation-not-granted"
    case userCancelled = "user-cancelled"
    case userFallback = "user-fallback"
    case authenticationFailed = "authentication-failed"
    case authenticationRounds = "authentication-rounds"
    case passcodeRefused = "passcode-refused"
    case passcodeNotFromProgram = "passcode-not-from-program"
    case wrongApplicationPassword = "wrong-application-password"
    case interactionNotAllowed = "interaction-not-allowed"
    case noAuthenticationAgent = "no-authentication-agent"
    case agentLevelTooLow = "agent-level-too-low"
    case promptTimedOut = "prompt-timed-out"
    case promptFailed = "prompt-failed"
    case tooManyContexts = "too-many-contexts"

    // MARK: The way to the device

    case daemonUnreachable = "daemon-unreachable"
    case daemonRefusedConnection = "daemon-refused-connection"
    case daemonOfAnotherUser = "daemon-of-another-user"
    case daemonConnectionLost = "daemon-connection-lost"
    case processForked = "process-forked"
    case daemonAnswerMalformed = "daemon-answer-malformed"
    case malformedRequest = "malformed-request"
    case malformed = "malformed"
    case messageTooLarge = "message-too-large"
    case answerTooLarge = "answer-too-large"

    // MARK: The device

    case numberTaken = "number-taken"
    case diskFull = "disk-full"
    case readOnly = "read-only"
    case inputOutput = "input-output"
    case outOfMemory = "out-of-memory"
    case databaseDamaged = "database-damaged"
    case databaseTooNew = "database-too-new"
    case databaseError = "database-error"
    case enclaveRefused = "enclave-refused"

    // MARK: In tests

    case plannedFailure = "planned-failure"
    case deviceClosed = "device-closed"
    case deviceStopped = "device-stopped"
}

extension Rule {
    package init(_ verdictRule: VerdictRule) {
        self =
            switch verdictRule {
            case .classKeyLocked: .classKeyLocked
            case .classKeyMissing: .classKeyMissing
            case .operationNotGranted: .operationNotGranted
            case .passcodeNotSet: .passcodeNotSet
            case .biometryNotAvailable: .biometryNotAvailable
            case .biometryNotEnrolled: .biometryNotEnrolled
            case .biometryLockedOut: .biometryLockedOut
            case .biometryDisconnected: .biometryDisconnected
            case .biometryNotPaired: .biometryNotPaired
            case .companionNotAvailable: .companionNotAvailable
            case .enrolmentChanged: .enrolmentChanged
            }
    }
}
