package import LatchkeyItemModel

extension SignatureFailure {
    /// The name of a failure and its texts for people.
    fileprivate struct Words {
        let rule: Rule
        let reason: String
        let advice: String
    }

    package var rule: Rule { words.rule }
    package var reason: String { words.reason }
    package var advice: String { words.advice }

    /// The compiler sees to it that every failure has its words.
    private var words: Words {
        switch self {
        case .malformed(let what): .malformed(what)
        case .wrongDigest: .wrongDigest
        case .invalid: .invalid
        case .twoSignatures: .twoSignatures
        case .teamMismatch(let expected, let found): .teamMismatch(expected: expected, found: found)
        case .tooNew(let needs): .tooNew(needs: needs)
        case .malformedEntitlements(let what): .malformedEntitlements(what)
        case .foreignApplication(let entitlement, let application): .foreignApplication(entitlement, not: application)
        case .foreignGroup(let group): .foreignGroup(group)
        case .interpreter(let name): .interpreter(name)
        case .script: .script
        case .unreadable(let what): .unreadable(what)
        case .malformedProgram(let what): .malformedProgram(what)
        case .teamNotTrusted(let team): .teamNotTrusted(team)
        case .teamOtherKey(let team): .teamOtherKey(team)
        case .teamRevoked(let team): .teamRevoked(team)
        case .teamExpired(let team, _): .teamExpired(team)
        case .levelTooLow(let found, let needed): .levelTooLow(found: found, needed: needed)
        case .noPlace: .noPlace
        case .tooLarge(let byteCount): .tooLarge(byteCount: byteCount)
        case .unwritable(let what): .unwritable(what)
        case .keyUnreadable: .keyUnreadable
        case .keyNeedsPassphrase: .keyNeedsPassphrase
        case .keyPassphraseRefused: .keyPassphraseRefused
        case .keyOfOtherKind: .keyOfOtherKind
        }
    }
}

// MARK: The signature

extension SignatureFailure.Words {
    private static let signAgain = "Sign the program again with latchkey codesign."

    fileprivate static func malformed(_ what: String) -> Self {
        Self(
            rule: .signatureMalformed, reason: "The program's signature is damaged: \(what).",
            advice: signAgain)
    }

    fileprivate static let wrongDigest = Self(
        rule: .signatureWrongDigest,
        reason: "The program was changed after it was signed, or the signature is another program's.",
        advice: "Install the program again; if you built it, sign it as the last step.")

    fileprivate static let invalid = Self(
        rule: .signatureInvalid, reason: "The signature was not made with the key that it names.",
        advice: "Do not use this program; install it again from where it comes from.")

    fileprivate static let twoSignatures = Self(
        rule: .signatureTwo,
        reason: "The program has two signatures, and it is unclear which one counts.",
        advice: "Remove them with latchkey codesign --remove and sign once.")

    fileprivate static func teamMismatch(expected: TeamIdentifier, found: String) -> Self {
        Self(
            rule: .signatureTeamMismatch,
            reason: "The signature is for \"\(found)\", but its key is that of team \(expected).",
            advice: "Sign with the key of the team that the application belongs to.")
    }

    fileprivate static func tooNew(needs: Int) -> Self {
        Self(
            rule: .signatureTooNew,
            reason: "The signature has rules of version \(needs), and this version of Latchkey knows those up to "
                + "\(SignatureStatement.currentVersion).",
            advice: "Install a newer version of Latchkey.")
    }

    fileprivate static func malformedEntitlements(_ what: String) -> Self {
        Self(
            rule: .entitlementsMalformed, reason: what,
            advice: "Correct the entitlements and sign the program again.")
    }

    fileprivate static func foreignApplication(_ entitlement: String, not application: String) -> Self {
        Self(
            rule: .entitlementsOtherApplication,
            reason:
                "The entitlements are those of \"\(entitlement)\", but the signature is for \"\(application)\".",
            advice: "Leave application-identifier out of the entitlements, or give the same identifier.")
    }

    fileprivate static func foreignGroup(_ group: String) -> Self {
        Self(
            rule: .entitlementsForeignGroup,
            reason: "The entitlements name the group \"\(group)\", which programs of this team may not have.",
            advice: "Begin keychain groups with the team identifier and a period, application groups with group.")
    }
}

// MARK: The program

extension SignatureFailure.Words {
    fileprivate static func interpreter(_ name: String) -> Self {
        Self(
            rule: .signatureInterpreter,
            reason: "\(name) runs other programs' code: its entitlements would be every program's.",
            advice: "Build a program of your own that contains or starts the code that needs the keychain, and "
                + "sign that.")
    }

    fileprivate static let script = Self(
        rule: .signatureScript,
        reason: "A script cannot be signed: the file that runs is its interpreter.",
        advice: "Build a program of your own for the code that needs the keychain, and sign that.")

    fileprivate static func unreadable(_ what: String) -> Self {
        Self(
            rule: .programUnreadable, reason: "The program's file cannot be read: \(what).",
            advice: "Check the file and its permissions.")
    }

    fileprivate static func malformedProgram(_ what: String) -> Self {
        Self(
            rule: .programMalformed, reason: "The program's file is not a valid ELF file: \(what).",
            advice: "Build or install the program again.")
    }
}

// MARK: The team and the device

extension SignatureFailure.Words {
    fileprivate static func teamNotTrusted(_ team: TeamIdentifier) -> Self {
        Self(
            rule: .teamNotTrusted, reason: "This device does not trust team \(team), which signed the program.",
            advice: "If you know whose key it is: latchkey team trust.")
    }

    fileprivate static func teamOtherKey(_ team: TeamIdentifier) -> Self {
        Self(
            rule: .teamOtherKey,
            reason: "The program is signed with another key than the one this device trusts as team \(team). "
                + "An attacker may be posing as that team.",
            advice: "Do not use this program; ask the team.")
    }

    fileprivate static func teamRevoked(_ team: TeamIdentifier) -> Self {
        Self(
            rule: .teamRevoked, reason: "The trust in team \(team) was revoked on this device.",
            advice: "Do not use this program, or trust the team again with latchkey team trust.")
    }

    fileprivate static func teamExpired(_ team: TeamIdentifier) -> Self {
        Self(
            rule: .teamExpired, reason: "The trust in team \(team) has expired.",
            advice: "Trust the team again with latchkey team trust.")
    }

    fileprivate static func levelTooLow(found: AssuranceLevel, needed: AssuranceLevel) -> Self {
        Self(
            rule: .assuranceLevelTooLow,
            reason: "The program demands its groups at assurance level \(needed.rawValue) or better and runs at "
                + "level \(found.rawValue).",
            advice: "Install it setgid as the manual describes, or see latchkey access explain.")
    }
}

// MARK: Signing

extension SignatureFailure.Words {
    fileprivate static let noPlace = Self(
        rule: .signatureNoPlace, reason: "The program has no room for a signature.",
        advice: "Link it with Latchkey's library Security, or use a detached signature.")

    fileprivate static func tooLarge(byteCount: Int) -> Self {
        Self(
            rule: .signatureTooLarge,
            reason: "The signature has \(byteCount) bytes, more than the \(ProgramSignature.byteLimit) there is "
                + "room for.",
            advice: "Name fewer groups in the entitlements.")
    }

    fileprivate static func unwritable(_ what: String) -> Self {
        Self(
            rule: .programUnwritable, reason: "The program's file cannot be written: \(what).",
            advice: "Check the permissions of the file and its directory, and the free space.")
    }

    fileprivate static let keyUnreadable = Self(
        rule: .teamKeyUnreadable, reason: "The file holds no private key in PEM form, or is damaged.",
        advice: "Name the file that latchkey team create wrote, or take it from a backup.")

    fileprivate static let keyNeedsPassphrase = Self(
        rule: .teamKeyEncrypted, reason: "The team key is encrypted, and no passphrase was given.",
        advice: "Give its passphrase.")

    fileprivate static let keyPassphraseRefused = Self(
        rule: .teamKeyPassphrase, reason: "The team key does not open with this passphrase, or is damaged.",
        advice: "Try again.")

    fileprivate static let keyOfOtherKind = Self(
        rule: .teamKeyKind, reason: "The private key is not one for ECDSA over P-256.",
        advice: "Make one with latchkey team create.")
}
