extension Rule {
    /// An occasion on which a rule has a text that is more exact than the one of the table.
    package enum Occasion: Sendable, Hashable, CaseIterable {
        case classNotText
        case numberAsKey
        case policyKind
        case fileClassLocked
        case evaluationClassLocked
        case evaluationClassMissing
        case tokenObjectOfOtherKind
        case restoredAsOtherKind
        case grantForOtherDirection
        case backupPasswordNotGiven
        case notAdmittedYet
        case waitsForAdmission
        case newIdentityWaits
        case groupSharedByKind
        case toolNeedsPasscode
        case migrationNeedsPasscode
        case toolMoved
        case cannotBeTool
        case removedBuildHasItems
        case teamPinnedToOtherKey
        case deviceDemandsLevel
        case groupDemandsLevel
        case answerMakesNoSense
        case identityIncomplete
        case resultTooLarge
        case directoryTakesNoChanges
        case sourceTakesNoChanges
        case destinationTakesNoChanges
        case evaluationInterrupted
    }
}

extension Rule.Occasion {
    package var text: RuleText {
        switch self {
        case .classNotText:
            RuleText(
                .unknownClass, "The value of kSecClass is not text.",
                advice: "Set kSecClass to one of the kSecClass constants.")
        case .numberAsKey:
            RuleText(
                .unknownAttribute, "A key of the dictionary is a number.",
                advice: "Use the kSec constants.")
        case .policyKind:
            RuleText(
                .valueKind, "The value of kSecMatchPolicy is not a policy.",
                advice: "Make it with SecPolicyCreate….")
        case .fileClassLocked:
            RuleText(
                .classKeyLocked, "Files of {protection} cannot be {acts} {when}.",
                advice: "Unlock the device (latchkey unlock), or give the file a protection that is open in this state."
            )
        case .evaluationClassLocked:
            RuleText(
                .classKeyLocked, "The protection class is locked.",
                advice: "Unlock the device (latchkey unlock).")
        case .evaluationClassMissing:
            RuleText(
                .classKeyMissing, "The key of the protection class does not exist while no passcode is set.",
                advice: "Set a passcode (latchkey passcode set).")
        case .tokenObjectOfOtherKind:
            RuleText(
                .enclaveKeyOfOtherKind,
                "The key named by kSecAttrTokenOID is not a P-256 key, so it cannot be used as a SecKey.",
                advice: "Use it as the dataRepresentation of a key of CryptoKit's SecureEnclave.")
        case .restoredAsOtherKind:
            RuleText(
                .enclaveKeyOfOtherKind, "The bytes are an enclave key, but of another kind than {kind}.",
                advice: "Restore it with the type that made it.")
        case .grantForOtherDirection:
            RuleText(
                .backupGrantOver, "This right is for the other direction: to back up, or to restore.",
                advice: "Begin a backup or a restore of its own.")
        case .backupPasswordNotGiven:
            RuleText(
                .backupPasswordRefused, "A password for backups is set, and it was not given.",
                advice: "Give the password that is set now; only an erase of the device forgets it otherwise.")
        case .notAdmittedYet:
            RuleText(
                .syncNotAMember, "This device waits to be admitted as {device}, and is not in the circle yet.",
                advice: "latchkey sync status shows how it is admitted.")
        case .waitsForAdmission:
            RuleText(
                .syncAlreadyMember, "This device has asked already, and waits to be admitted as {device}.",
                advice: "latchkey sync status shows how it is admitted; latchkey sync leave takes the request back.")
        case .newIdentityWaits:
            RuleText(
                .syncAlreadyMember, "A new identity of this device, {device}, waits already to be admitted.",
                advice:
                    "Say latchkey sync approve on the device that made the code. If that invitation has ended, make another "
                    + "one with latchkey sync invite, and give its code to latchkey sync repair here.")
        case .groupSharedByKind:
            RuleText(
                .syncGroupNotAllowed,
                "The items of {group} always travel: groups of teams are shared, and so are those that begin with "
                    + "\"group.\".",
                advice: "Store an item that is to stay on this device without kSecAttrSynchronizable.")
        case .toolNeedsPasscode:
            RuleText(
                .ownerNeedsPasscode,
                "This is another latchkey than the one of the device's daemon. It becomes the owner's tool with the "
                    + "device passcode, and none is set.",
                advice: "{advice} Or set a passcode: latchkey passcode set.")
        case .migrationNeedsPasscode:
            RuleText(
                .ownerNeedsPasscode,
                "Another program's group opens only with the passcode of the device, and none is set.",
                advice: "Set one on the device {name}, then migrate again: latchkey passcode set.")
        case .toolMoved:
            RuleText(
                .notTheOwnersTool,
                "No item fits. The owner's items belong to the tool beside this device's daemon. Its file was moved or "
                    + "removed since the daemon started: {path}.",
                advice: "{advice}")
        case .cannotBeTool:
            RuleText(
                .notTheOwnersTool,
                "Only a program called latchkey that is not signed for an app can become the owner's tool, not {name}.",
                advice: "{advice}")
        case .removedBuildHasItems:
            RuleText(
                .otherBuildHasItems,
                "No item fits. Another build of this program, {path}, had {items} of its own, which are still there, "
                    + "but its file was removed: an unsigned program is known by its path.",
                advice:
                    "latchkey dump-keychain --access-group {group} shows those items. A build at the old path finds them "
                    + "again.")
        case .teamPinnedToOtherKey:
            RuleText(
                .teamOtherKey, "Team {identifier} ({name}) is pinned to another key on this device.",
                advice: "This is a second key with the same identifier: do not trust it, and ask the team.")
        case .deviceDemandsLevel:
            RuleText(
                .assuranceLevelTooLow,
                "This device serves programs of assurance level {needed} or better, and this one has level {level}.",
                advice: "latchkey access test PROGRAM says what the program lacks.")
        case .groupDemandsLevel:
            RuleText(
                .assuranceLevelTooLow,
                "A program with the access group {group} demands assurance level {level} of whatever reaches it, and "
                    + "this program has level {found}.",
                advice: "Use the program that the items belong to; root reaches them with this tool, too.")
        case .answerMakesNoSense:
            RuleText(
                .daemonAnswerMalformed, "The keychain's answer makes no sense.",
                advice: "Use library and daemon of the same version.")
        case .identityIncomplete:
            RuleText(
                .malformed, "The identity has no certificate or no key.",
                advice: "Report it.")
        case .resultTooLarge:
            RuleText(
                .answerTooLarge, "The answer would be larger than 48 MiB.",
                advice: "Ask for fewer items: narrow the query or give kSecMatchLimit a number.")
        case .directoryTakesNoChanges:
            RuleText(
                .readOnly, "The device's directory takes no changes.",
                advice: "Copy the directory to a place where it can be written, and name the copy with --device.")
        case .sourceTakesNoChanges:
            RuleText(
                .readOnly, "The directory {path} takes no changes, so no item can leave it.",
                advice: "Copy its items with --keep.")
        case .destinationTakesNoChanges:
            RuleText(
                .readOnly, "The directory {path} takes no changes, so it takes no items.",
                advice: "Name a device whose directory can be written with --to.")
        case .evaluationInterrupted:
            RuleText(
                .enclaveRefused, "{setback}",
                advice: "Try again.")
        }
    }
}
