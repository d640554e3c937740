/// The texts of all rules. There is no second list: a refusal names its rule, and the values for the gaps.
extension Rule {
    /// The line of a rule in the table.
    fileprivate struct Row {
        let part: Part
        let reason: String
        let advice: String

        init(_ part: Part, _ reason: String, _ advice: String) {
            self.part = part
            self.reason = reason
            self.advice = advice
        }
    }

    /// The text of a refusal, with gaps for the values of the call.
    package var text: RuleText { RuleText(self, row.reason, advice: row.advice) }

    /// The part of `Docs/RefusalRules.md` that has the rule.
    package var part: Part { row.part }

    private var row: Row {
        switch self {
        // MARK: The query

        case .classMissing: Row(.query, "The query names no item class.", "Set kSecClass.")
        case .unknownClass:
            Row(.query, "{name} is not an item class.", "Set kSecClass to one of the kSecClass constants.")
        case .classContradictsReference:
            Row(
                .query, "kSecClass is {class} but the persistent reference is of class {other}.",
                "Leave kSecClass out when a persistent reference is given.")
        case .referenceWithAttributes:
            Row(.query, "A persistent reference stands beside other attributes.", "Search by the reference alone.")
        case .unknownKey: Row(.query, "{key} is not a key of keychain queries.", "{advice}")
        case .unknownAttribute:
            Row(
                .query, "Items of class {class} have no attribute {key}.",
                "Remove the attribute, or use the class it belongs to.")
        case .keyNotText: Row(.query, "A key of the dictionary is not text.", "Use the kSec constants.")
        case .duplicateKey: Row(.query, "A key of the dictionary is given twice.", "Give each key once.")
        case .keyNotAllowedHere: Row(.query, "{key} has no place in {operation}.", "{advice}")
        case .tooManyPairs:
            Row(.query, "The dictionary has {count} pairs, at most 128 are taken.", "Leave out what does not matter.")
        case .textNotWellFormed:
            Row(
                .query, "A text of the dictionary has half of a surrogate pair.",
                "Give whole characters: cut texts between characters, not between UTF-16 units.")
        case .dateOutOfRange:
            Row(
                .query, "A date of the dictionary is infinite, not a number, or not in the years 0 to 9999.",
                "Give a date of the calendar, or leave the key out.")
        case .valueKind: Row(.query, "The value of {key} is not {expected}.", "Give {key} {expected}.")
        case .noPlaceForResult:
            Row(
                .query, "The query asks for a result but gives no place for it.",
                "Pass a result pointer, or leave the kSecReturn… keys out.")
        case .privateAttribute: Row(.query, "{key} needs a private entitlement.", "Remove the key.")
        case .matchForCertificates:
            Row(
                .query, "{key} is for certificates and identities only.",
                "Leave it out, or search for kSecClassCertificate or kSecClassIdentity.")
        case .matchForInternetPasswords:
            Row(
                .query, "{key} is for internet passwords only.",
                "Leave it out, or search for kSecClassInternetPassword.")
        case .noAuthenticationContext:
            Row(
                .query, "kSecUseAuthenticationContext is not an LAContext of this process.",
                "Give an LAContext, or leave the key out.")
        case .contextAndCredential:
            Row(
                .query, "The query names an authentication context and a credential beside it.",
                "Give the LAContext alone.")
        case .identityWithoutReference:
            Row(
                .query, "An identity is added without kSecValueRef.",
                "Give the SecIdentity as kSecValueRef, or add certificate and key one by one.")
        case .tokenObjectAlone:
            Row(.query, "The query names an object of a token, and no token.", "Give kSecAttrTokenID beside it.")
        case .notInThisVersion:
            Row(
                .query, "{what} not part of this version.",
                "Use private keys of the enclave (kSecAttrTokenIDSecureEnclave), or leave kSecAttrTokenID out.")

        // MARK: The item and its protection

        case .classKeyLocked:
            Row(
                .item, "Items of protection class {class} cannot be opened {when}.",
                "Unlock the device (latchkey unlock), or store the item in a class that is open in this state.")
        case .classKeyMissing:
            Row(
                .item, "The key of protection class {class} does not exist while no passcode is set.",
                "Set a passcode (latchkey passcode set), or use another protection class.")
        case .synchronizableWithConditions:
            Row(
                .item, "A synchronizable item cannot require user authentication on one device.",
                "Leave the flags of the access control or kSecAttrSynchronizable out.")
        case .accessibilityContradictsAccessControl:
            Row(
                .item, "kSecAttrAccessible is {accessible}, but the access control has {protection}.",
                "Give only one of the two.")
        case .accessibilityBesideAccessControl:
            Row(
                .item, "kSecAttrAccessible and kSecAttrAccessControl are both given for an item that is written.",
                "Leave kSecAttrAccessible out: SecAccessControlCreateWithFlags takes the protection class.")
        case .badAccessControl:
            Row(
                .item, "The access control cannot be used for an item.",
                "Make it with SecAccessControlCreateWithFlags.")
        case .privateKeyUsageOnPassword:
            Row(
                .item, "privateKeyUsage on anything but a key of the enclave would make an item that cannot be read.",
                "Leave privateKeyUsage out, or make the key in the enclave.")
        case .dataTooLarge:
            Row(
                .item, "The data has {count} bytes; an item holds at most 16 MiB.",
                "Keep the data in a file and its key in the keychain.")
        case .itemEnded:
            Row(
                .item, "An item that fits was destroyed on purpose {when}, {why}.",
                "Add the item again. latchkey item gone lists what ended on this device.")
        case .keyDamaged:
            Row(
                .item, "A key of the device does not open.",
                "Restore the device from a backup; see the chapter on damage in the manual.")

        // MARK: Keys of the enclave

        case .privateKeyUsageMissing:
            Row(
                .enclaveKeys, "The access control of the enclave key does not allow any use of the key.",
                "Add privateKeyUsage to the flags of SecAccessControlCreateWithFlags.")
        case .badDigest:
            Row(
                .enclaveKeys, "A digest of {byteCount} bytes cannot be signed.",
                "Sign 1 to 64 bytes: the digest of the message, not the message.")
        case .badPeer:
            Row(
                .enclaveKeys, "The other side's key is not a point of the curve P-256.",
                "Give the 65 bytes of an uncompressed public key.")
        case .enclaveKeyOfOtherKind:
            Row(.enclaveKeys, "A key of {kind} does not {what}.", "Use a key that was made for this.")
        case .messageTooLong:
            Row(
                .enclaveKeys,
                "A message of {byteCount} bytes is too long to be signed in the enclave: at most {limit}.",
                "Sign the digest of the message, and let the verifier do the same.")
        case .contextStringTooLong:
            Row(
                .enclaveKeys,
                "A context string of {byteCount} bytes cannot be signed beside a message: at most {limit}.",
                "Use a shorter one, or its digest.")
        case .badCiphertext:
            Row(
                .enclaveKeys, "A ciphertext has {expected}; this one has {byteCount}.",
                "Give the whole ciphertext, encapsulated with this key's public key.")
        case .enclaveKeyNotHere:
            Row(
                .enclaveKeys, "The bytes name no key of this device: they are of another one, or were altered.",
                "Make a new key; a key never leaves the device it was made on.")
        case .enclaveKeyDeleted: Row(.enclaveKeys, "The key was deleted.", "Make a new one.")
        case .enclaveKeyWithoutClass:
            Row(
                .enclaveKeys, "The passcode that the key was protected by was removed, and the key went with it.",
                "Set a passcode and make a new key.")
        case .enclaveKeyInvalidated:
            Row(
                .enclaveKeys, "The fingers that the key was for are not those that are enrolled now.",
                "Make a new key after a full login.")
        case .tokenImport:
            Row(
                .enclaveKeys, "The enclave takes no key from outside.",
                "Make the key there: SecKeyCreateRandomKey with kSecAttrTokenIDSecureEnclave.")
        case .tokenObjectMissing:
            Row(
                .enclaveKeys, "The item names the enclave, but no key of it.",
                "Add a key of the enclave as kSecValueRef.")
        case .tokenObjectKind:
            Row(
                .enclaveKeys, "A key of {kind} in the enclave cannot be an item of the keychain.",
                "Keep the key's dataRepresentation as the data of a generic password.")
        case .tokenSynchronizable:
            Row(.enclaveKeys, "A key of the enclave does not leave its device.", "Leave kSecAttrSynchronizable out.")
        case .tokenChange:
            Row(
                .enclaveKeys, "An item keeps its token and what it is there.",
                "Leave kSecAttrTokenID and kSecAttrTokenOID out of the changes; add another item.")
        case .tokenData:
            Row(
                .enclaveKeys, "A key of the enclave has no data that could be replaced.",
                "Make a new key, and delete this one.")
        case .tokenProtection:
            Row(
                .enclaveKeys, "A key of the enclave keeps the access control that it was made with.",
                "Make a new key with the other access control.")
        case .tokenAttributes:
            Row(
                .enclaveKeys, "The enclave says what {attribute} of its key is.",
                "Change label, tag and group alone; make a new key for the rest.")

        // MARK: Keys of files

        case .fileKeyNotHere:
            Row(
                .fileKeys, "The key of the file does not open: it is of another device or file, or was altered.",
                "Restore the file from a backup, or open it on the device that it was written on.")

        // MARK: Backups

        case .backupGrantOver:
            Row(
                .backups, "The right to back up or restore is over, or was never given to this program.",
                "Begin again; what was done so far is kept.")
        case .backupPasswordMissing:
            Row(.backups, "No password for encrypted backups is set.", "Set one: latchkey backup password set.")
        case .backupPasswordRefused:
            Row(
                .backups, "This is not the password of the backup.",
                "Give the password that was set when the backup was made.")
        case .backupKeybagUnusable:
            Row(
                .backups, "The backup's keybag cannot be used: it is damaged, or is not the keybag of a backup.",
                "Look at the backup with latchkey backup verify.")
        case .escrowLimit:
            Row(
                .backups, "This device has {limit} hosts already.",
                "Revoke one that is not used: latchkey escrow revoke.")
        case .escrowNeedsPasscode:
            Row(
                .backups,
                "A host is served from the first unlock on: the device has been restarted or locked remotely since.",
                "Unlock the device once: latchkey unlock.")
        case .escrowOver:
            Row(
                .backups,
                "This device does not know the host: its keybag is of another device, was revoked, or ended "
                    + "with a passcode.",
                "Make a new one: latchkey escrow create.")

        // MARK: Sync

        case .syncNeedsDaemon:
            Row(
                .sync, "The keychain is served without a daemon, and nothing would exchange its items.",
                "Start the device: latchkey start.")
        case .syncNeedsPasscode:
            Row(
                .sync, "A device without a passcode cannot be in a circle.",
                "Set one: latchkey passcode set.")
        case .syncNeedsUnlock:
            Row(
                .sync, "The device is locked, and the keys for this are not at hand.",
                "Unlock the device: latchkey unlock.")
        case .syncNotAMember:
            Row(
                .sync, "This device is in no circle.",
                "Found one with latchkey sync create, or join one with latchkey sync join.")
        case .syncAlreadyMember:
            Row(
                .sync, "This device is in a circle already.",
                "Look at latchkey sync status; latchkey sync leave ends it.")
        case .syncRemoved:
            Row(
                .sync, "This device was removed from its circle, or has left it.",
                "Forget the circle with latchkey sync leave, then join again.")
        case .syncAdmissionVoid:
            Row(
                .sync, "The device that admitted this one was removed at the same time.",
                "Forget the circle with latchkey sync leave, then join again.")
        case .syncCodeWrong:
            Row(.sync, "{reason}", "{advice}")
        case .syncNoRequest:
            Row(
                .sync, "No device waits to be approved as this one.",
                "Look at latchkey sync status on the other device; a carried folder may be late.")
        case .syncUnknownDevice:
            Row(.sync, "The circle has no such device.", "latchkey sync devices lists the devices.")
        case .syncNeedsInvitation:
            Row(
                .sync, "Another device of the circle has to approve the new identity.",
                "Say latchkey sync invite there, and give its code to latchkey sync repair here.")
        case .syncNotAlone:
            Row(
                .sync, "Other devices are in the circle, and need its store.",
                "Remove them first: latchkey sync devices, latchkey sync remove. Or leave alone: latchkey sync leave.")
        case .syncRemovesItself:
            Row(.sync, "A device does not remove itself.", "Leave the circle: latchkey sync leave.")
        case .syncIdentityDuplicated:
            Row(
                .sync, "This device was restored from an old copy, or runs twice.",
                "Give one of the copies a new identity: latchkey sync repair.")
        case .syncMemberLimit:
            Row(
                .sync, "The circle has {limit} devices, and no space for another one.",
                "Remove one that is not used: latchkey sync remove.")
        case .syncStatementLimit:
            Row(
                .sync, "This device has written as many statements about the circle as it may.",
                "Leave the circle and join again: the device then begins anew.")
        case .syncNotPassedOn:
            Row(.sync, "{reason}", "{advice}")
        case .syncPaused:
            Row(
                .sync, "This device exchanges nothing at present, because of latchkey sync pause.",
                "Say latchkey sync resume, and try again.")
        case .syncStoreUnreachable:
            Row(.sync, "The store {store} cannot be reached: {reason}.", "{advice}")
        case .syncStoreRefused:
            Row(.sync, "The store {store} refuses: {reason}.", "{advice}")
        case .syncStoreOther:
            Row(.sync, "The transport of this device serves {store}.", "{advice}")
        case .syncStoreHoldsDevice:
            Row(
                .sync, "The store {store} is a part of this device, or has it within.",
                "Name a folder of its own, which has nothing else in it.")
        case .syncCircleDamaged:
            Row(
                .sync, "What this device has of its circle cannot be read.",
                "Forget the circle with latchkey sync leave --force, then join again.")
        case .syncRefused:
            Row(.sync, "The circle does not allow it: {reason}.", "Look at latchkey sync status.")
        case .syncBusy:
            Row(
                .sync, "The circle waits for its store, which does not answer.",
                "Look at the store; latchkey sync status shows which one it is.")
        case .syncNoConflict:
            Row(.sync, "No kept version has this number.", "latchkey sync conflicts lists them.")
        case .syncGroupNotAllowed:
            Row(
                .sync, "The circle names {count} groups, and no more.",
                "Take one back that is not used: latchkey sync groups forbid.")

        // MARK: The program

        case .foreignAccessGroup:
            Row(
                .program, "The program does not own the access group {group}.",
                "Name a group of the program's own entitlements, or none.")
        case .noAccessGroups:
            Row(
                .program, "The program has no access group.",
                "Give it an application identifier or keychain-access-groups.")
        case .appClipGroups:
            Row(
                .program, "An app clip has the group of its application identifier and no other.",
                "Remove keychain-access-groups from its entitlements.")
        case .appClipSynchronizable:
            Row(
                .program, "An app clip cannot store items that synchronize.",
                "Store the item without kSecAttrSynchronizable.")
        case .keychainDenied:
            Row(
                .program, "The program's entitlements deny it the keychain.",
                "Remove com.apple.private.keychain.deny.")
        case .ownerNeedsPasscode:
            Row(
                .program, "Another program's group opens only with the device's passcode, and none is set.",
                "Set one first: latchkey passcode set.")
        case .ownerPasscodeRefused: Row(.program, "{reason}", "{advice}")
        case .ownerAccess:
            Row(
                .program, "The owner acted in another program's group with the passcode.",
                "Nothing to do; change the passcode if this was not you.")
        case .ownerChange:
            Row(
                .program, "The owner changed which teams or apps this device knows, or an option.",
                "Nothing to do; if this was not you, look at latchkey team list and change the passcode.")
        case .ownerNeedsRoot:
            Row(
                .program,
                "This device has no passcode yet, so every program of its owner could do this in the "
                    + "owner's name. Until one is set, it is root's.",
                "As root: {tool} passcode set. From then on the passcode decides.")
        case .teamNotKnown:
            Row(
                .program, "No team {team} was ever trusted on this device.",
                "latchkey team list shows those that were.")
        case .teamNameUnusable:
            Row(
                .program, "The name of a team has 1 to {limit} bytes, and nothing that cannot be seen.",
                "Choose another name.")
        case .teamTrustOver:
            Row(.program, "The date until which the team is to be trusted is over.", "Give a date to come, or none.")
        case .tooManyTeams:
            Row(.program, "This device knows as many teams as it can.", "Use a device of its own for other programs.")
        case .teamAliasNotKnown:
            Row(
                .program, "The alias {alias} was never given to team {team} on this device.",
                "latchkey team list shows the aliases of each team.")
        case .tooManyTeamAliases:
            Row(
                .program, "This device knows as many aliases of teams as it can ({limit}).",
                "Use a device of its own for other programs.")
        case .ownerItemsElsewhere:
            Row(
                .program, "No item fits. Items of the owner are under former paths of the tool: {places}{more}.",
                "latchkey adopt makes them the owner's, wherever the tool lies.")
        case .notTheOwnersTool:
            Row(
                .program,
                "No item fits. The owner's items belong to the tool of this device's installation, {path}, "
                    + "and this program is another file.",
                "Use {path}, or let this one be the owner's tool as well: latchkey adopt. It asks for the passcode.")
        case .otherBuildHasItems:
            Row(
                .program,
                "No item fits. Another build of this program, {place}, has {items} of its own: an unsigned "
                    + "program is known by its path.",
                "Run that build, or sign both for one app (latchkey codesign). latchkey access explain "
                    + "PROGRAM SERVICE says which of them has an item.")
        case .tooManyOwnerTools:
            Row(
                .program, "As many programs as the device remembers ({limit}) are the owner's tool already.",
                "Take them back with latchkey adopt --revoke, and use one of them.")
        case .tooManyFormerPlaces:
            Row(
                .program,
                "This program is the owner's tool, and what could be moved was moved. But items that could "
                    + "not are left in more former places than the device remembers ({limit}); the tool does not "
                    + "find those in {left} of them.",
                "Unlock the device and run latchkey adopt again; latchkey adopt --list shows the places. "
                    + "Remove programs that are not yours: latchkey app forget PROGRAM --items remove.")
        case .appNotKnown:
            Row(.program, "No app {application} has used this device.", "latchkey app list shows those that have.")

        // MARK: The program's signature

        case .signatureMalformed:
            Row(
                .signature, "The program's signature is damaged: {what}.",
                "Sign the program again with latchkey codesign.")
        case .signatureWrongDigest:
            Row(
                .signature, "The program was changed after it was signed, or the signature is another program's.",
                "Install the program again; if you built it, sign it as the last step.")
        case .signatureInvalid:
            Row(
                .signature, "The signature was not made with the key that it names.",
                "Do not use this program; install it again from where it comes from.")
        case .signatureTwo:
            Row(
                .signature, "The program has two signatures, and it is unclear which one counts.",
                "Remove them with latchkey codesign --remove and sign once.")
        case .signatureTeamMismatch:
            Row(
                .signature, "The signature is for \"{found}\", but its key is that of team {expected}.",
                "Sign with the key of the team that the application belongs to.")
        case .signatureInterpreter:
            Row(
                .signature, "{name} runs other programs' code: its entitlements would be every program's.",
                "Build a program of your own that contains or starts the code that needs the keychain, and "
                    + "sign that.")
        case .signatureScript:
            Row(
                .signature, "A script cannot be signed: the file that runs is its interpreter.",
                "Build a program of your own for the code that needs the keychain, and sign that.")
        case .signatureTooNew:
            Row(
                .signature,
                "The signature has rules of version {needs}, and this version of Latchkey knows those up to {known}.",
                "Install a newer version of Latchkey.")
        case .entitlementsMalformed: Row(.signature, "{what}", "Correct the entitlements and sign the program again.")
        case .entitlementsOtherApplication:
            Row(
                .signature,
                "The entitlements are those of \"{entitlement}\", but the signature is for \"{application}\".",
                "Leave application-identifier out of the entitlements, or give the same identifier.")
        case .entitlementsForeignGroup:
            Row(
                .signature, "The entitlements name the group \"{group}\", which programs of this team may not have.",
                "Begin keychain groups with the team identifier and a period, application groups with group.")
        case .teamNotTrusted:
            Row(
                .signature, "This device does not trust team {team}, which signed the program.",
                "If you know whose key it is: latchkey team trust.")
        case .teamOtherKey:
            Row(
                .signature,
                "The program is signed with another key than the one this device trusts as team {team}. An "
                    + "attacker may be posing as that team.",
                "Do not use this program; ask the team.")
        case .teamRevoked:
            Row(
                .signature, "The trust in team {team} was revoked on this device.",
                "Do not use this program, or trust the team again with latchkey team trust.")
        case .teamExpired:
            Row(.signature, "The trust in team {team} has expired.", "Trust the team again with latchkey team trust.")
        case .teamAliasNotPinned:
            Row(
                .signature,
                "The program has groups with the prefix {alias}, which is not an alias of team {team} here.",
                "If the team may have them: latchkey team alias {team} {alias}.")
        case .teamAliasTaken:
            Row(
                .signature, "The prefix {alias} belongs to team {team} on this device.",
                "Do not use the other team's program here. No prefix changes its team before the device is erased.")
        case .assuranceLevelTooLow:
            Row(
                .signature,
                "The program demands its groups at assurance level {needed} or better and runs at level {found}.",
                "Install it setgid as the manual describes, or see latchkey access explain.")
        case .otherPIDNamespace:
            Row(
                .signature,
                "The program runs in a pid namespace of its own (a container or a sandbox), where other "
                    + "programs can speak in its name, so its signature does not count.",
                "Run it outside of the container; without a signature it has a group of its own there.")
        case .programUnreadable:
            Row(.signature, "The program's file cannot be read: {what}.", "Check the file and its permissions.")
        case .programMalformed:
            Row(
                .signature, "The program's file is not a valid ELF file: {what}.",
                "Build or install the program again.")
        case .programUnwritable:
            Row(
                .signature, "The program's file cannot be written: {what}.",
                "Check the permissions of the file and its directory, and the free space.")
        case .signatureNoPlace:
            Row(
                .signature, "The program has no room for a signature.",
                "Link it with Latchkey's library Security, or use a detached signature.")
        case .signatureTooLarge:
            Row(
                .signature, "The signature has {byteCount} bytes, more than the {limit} there is room for.",
                "Name fewer groups in the entitlements.")
        case .teamKeyUnreadable:
            Row(
                .signature, "The file holds no private key in PEM form, or is damaged.",
                "Name the file that latchkey team create wrote, or take it from a backup.")
        case .teamKeyEncrypted:
            Row(.signature, "The team key is encrypted, and no passphrase was given.", "Give its passphrase.")
        case .teamKeyPassphrase:
            Row(.signature, "The team key does not open with this passphrase, or is damaged.", "Try again.")
        case .teamKeyKind:
            Row(.signature, "The private key is not one for ECDSA over P-256.", "Make one with latchkey team create.")

        // MARK: Authentication

        case .contextEnded:
            Row(
                .authentication, "The authentication context is no longer valid.",
                "Make a new LAContext for each thing that a person is asked for.")
        case .contextLost:
            Row(
                .authentication,
                "The daemon was restarted, and the user's proofs to this authentication context are gone.",
                "Make a new LAContext and ask again.")
        case .appCancelled:
            Row(
                .authentication, "The program ended its authentication context while a prompt was shown.",
                "Nothing to do, if that was meant.")
        case .passcodeNotSet:
            Row(
                .authentication, "The device has no passcode, and neither passcode nor biometry counts without one.",
                "Set a passcode (latchkey passcode set).")
        case .biometryNotAvailable:
            Row(
                .authentication, "There is no fingerprint reader that can be used.",
                "latchkey finger list says whether a reader is missing, fprintd is, or another program has "
                    + "claimed the reader.")
        case .biometryNotEnrolled:
            Row(.authentication, "No finger is enrolled.", "Enrol one: latchkey finger enroll right-index-finger.")
        case .biometryLockedOut:
            Row(
                .authentication, "Biometry counts again only after the passcode was given.",
                "Give the passcode: latchkey unlock, or evaluate deviceOwnerAuthentication.")
        case .companionNotAvailable:
            Row(
                .authentication, "There is no companion device that could prove anything.",
                "Use an access control or a policy with biometry or passcode.")
        case .biometryNotPaired:
            Row(.authentication, "The fingerprint reader is not paired with this machine.", "Pair it.")
        case .biometryDisconnected: Row(.authentication, "The fingerprint reader is gone.", "Plug it in again.")
        case .enrolmentChanged:
            Row(
                .authentication, "The fingers that the item was for are not those that are enrolled now.",
                "Make the item anew after a full login.")
        case .operationNotGranted:
            Row(
                .authentication, "The access control does not grant this operation at all.",
                "Make the item anew with an access control for what is done with it.")
        case .userCancelled: Row(.authentication, "The user cancelled.", "Ask again when the user wants it.")
        case .userFallback:
            Row(
                .authentication, "The user chose another way than biometry, and this policy has none.",
                "Offer a way of the program's own, or evaluate deviceOwnerAuthentication.")
        case .authenticationFailed: Row(.authentication, "{what}", "Ask again, or offer another way.")
        case .authenticationRounds:
            Row(.authentication, "The user was asked 20 times for one call.", "Ask again later.")
        case .passcodeRefused: Row(.authentication, "{reason}", "{advice}")
        case .passcodeNotFromProgram:
            Row(
                .authentication, "Only a program whose entitlements say so may give the device's passcode.",
                "Let the person be asked, or sign the program with org.latchkey.authentication.passcode.")
        case .wrongApplicationPassword:
            Row(
                .authentication, "The application password of the item is another one.",
                "Set the password that the item was added with (LAContext.setCredential).")
        case .interactionNotAllowed:
            Row(
                .authentication, "The user would have to be asked, and the program does not allow it.",
                "Leave out kSecUseAuthenticationUIFail, or set interactionNotAllowed to false.")
        case .noAuthenticationAgent:
            Row(
                .authentication, "The user would have to be asked, and no agent is there to do it.",
                "Start one in the user's session: latchkey agent.")
        case .agentLevelTooLow:
            Row(
                .authentication,
                "The user would have to be asked by an agent of assurance level {level}, and none is there.",
                "Install an agent of that level and start it in the user's session: "
                    + "Docs/Manual/Authentication.md says how.")
        case .promptTimedOut: Row(.authentication, "The prompt was not answered in time.", "Ask again.")
        case .promptFailed:
            Row(
                .authentication, "The prompt could not be shown: {reason}",
                "Look at what the authentication agent says (latchkey agent).")
        case .tooManyContexts:
            Row(
                .authentication, "As many authentication contexts are open as the enclave keeps.",
                "Let programs end contexts that they do not need any more (invalidate).")

        // MARK: The way to the device

        case .daemonUnreachable:
            Row(
                .connection, "The daemon cannot be reached at {socketPath}: {failure}.",
                "Start it with `latchkeyd --device DIRECTORY`, or set LATCHKEY_DEVICE to where it listens.")
        case .daemonRefusedConnection:
            Row(.connection, "The daemon at {socketPath} refused this program: {reason}.", "{advice}")
        case .daemonOfAnotherUser:
            Row(.connection, "At {socketPath}, {finding}.", "Set LATCHKEY_DEVICE to the socket of your own daemon.")
        case .daemonConnectionLost:
            Row(
                .connection,
                "The connection to the daemon broke before its answer came, so the call may have been "
                    + "carried out or not.",
                "Look whether the item is as wanted, then repeat the call.")
        case .processForked:
            Row(
                .connection,
                "This process was forked, and what the call uses was opened in the parent: a child has neither its keys nor "
                    + "its locks.",
                "Open it again in the child.")
        case .daemonAnswerMalformed:
            Row(
                .connection, "The answer of the daemon at {socketPath} cannot be read: {reason}.",
                "Use a daemon and a library of the same version.")
        case .malformedRequest:
            Row(
                .connection, "The daemon cannot read the call: {error}.",
                "Put fewer and flatter values into the query, or use a library of the daemon's version.")
        case .malformed: Row(.connection, "The message refers to a secret it does not hold.", "Report it.")
        case .messageTooLarge:
            Row(
                .connection,
                "The call has a part of {byteCount} bytes or entries, and {limit} may go to the daemon at once.",
                "Store less in one item, or ask for fewer items at once.")
        case .answerTooLarge:
            Row(
                .connection, "The answer has a part of {byteCount} bytes or entries, and {limit} may travel at once.",
                "Ask for fewer items at once (kSecMatchLimit), or for their attributes only.")

        // MARK: The device

        case .numberTaken: Row(.device, "Another process stores items at the same moment.", "Try again.")
        case .diskFull:
            Row(
                .device, "The disk is full; nothing was stored and nothing is lost.",
                "Free space on the file system of the device directory.")
        case .readOnly:
            Row(
                .device, "The keychain's files cannot be written.",
                "Make the device directory writable for its owner (chmod u+w).")
        case .inputOutput:
            Row(
                .device, "The keychain's files cannot be read or written: {message}.",
                "Check the disk and the file system.")
        case .outOfMemory: Row(.device, "No memory left.", "Close programs.")
        case .databaseDamaged:
            Row(
                .device, "The keychain's database is damaged: {message}.",
                "See latchkey status: the file is set aside at the next start, never deleted.")
        case .databaseTooNew:
            Row(.device, "The database was written by a newer version.", "Install the newer version again.")
        case .databaseError:
            Row(
                .device, "The database answered {code}: {message}.",
                "Try again; if it stays, look at latchkey status.")
        case .enclaveRefused:
            Row(.device, "The enclave did not answer as expected: {refusal}.", "Look at latchkey status.")

        // MARK: In tests

        case .plannedFailure: Row(.tests, "The test planned this failure.", "Handle it as if the device had refused.")
        case .deviceClosed: Row(.tests, "The virtual device was closed.", "Close it after the last call.")
        case .deviceStopped: Row(.tests, "The virtual device is switched off.", "Call start().")
        }
    }
}
