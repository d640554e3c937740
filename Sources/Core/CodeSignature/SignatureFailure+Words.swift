extension SignatureFailure {
    /// The name of a failure and its texts for people.
    struct Words {
        let rule: String
        let reason: String
        let advice: String
    }

    /// The stable name (`Docs/RefusalRules.md`).
    package var rule: String { words.rule }
    package var reason: String { words.reason }
    package var advice: String { words.advice }

    private static let signAgain = "Sign the program again with latchkey codesign."

    private var words: Words {
        switch self {
        case .interpreter, .script, .unreadable, .malformedProgram: programWords
        case .teamNotTrusted, .teamOtherKey, .teamRevoked, .teamExpired, .levelTooLow: deviceWords
        case .noPlace, .tooLarge, .unwritable, .keyUnreadable, .keyNeedsPassphrase, .keyPassphraseRefused,
            .keyOfOtherKind:
            signingWords
        default: signatureWords
        }
    }

    private var signatureWords: Words {
        switch self {
        case .malformed(let what):
            Words(
                rule: "signature-malformed", reason: "The program's signature is damaged: \(what).",
                advice: Self.signAgain)
        case .wrongDigest:
            Words(
                rule: "signature-wrong-digest",
                reason: "The program was changed after it was signed, or the signature is another program's.",
                advice: "Install the program again; if you built it, sign it as the last step.")
        case .invalid:
            Words(
                rule: "signature-invalid", reason: "The signature was not made with the key that it names.",
                advice: "Do not use this program; install it again from where it comes from.")
        case .twoSignatures:
            Words(
                rule: "signature-two",
                reason: "The program has two signatures, and it is unclear which one counts.",
                advice: "Remove them with latchkey codesign --remove and sign once.")
        case .teamMismatch(let expected, let found):
            Words(
                rule: "signature-team-mismatch",
                reason: "The signature is for \"\(found)\", but its key is that of team \(expected).",
                advice: "Sign with the key of the team that the application belongs to.")
        case .tooNew(let needs):
            Words(
                rule: "signature-too-new",
                reason: "The signature has rules of version \(needs), and this version of Latchkey knows those up to "
                    + "\(SignatureStatement.currentVersion).",
                advice: "Install a newer version of Latchkey.")
        case .malformedEntitlements(let what):
            Words(
                rule: "entitlements-malformed", reason: what,
                advice: "Correct the entitlements and sign the program again.")
        case .foreignApplication(let entitlement, let application):
            Words(
                rule: "entitlements-other-application",
                reason:
                    "The entitlements are those of \"\(entitlement)\", but the signature is for \"\(application)\".",
                advice: "Leave application-identifier out of the entitlements, or give the same identifier.")
        case .foreignGroup(let group):
            Words(
                rule: "entitlements-foreign-group",
                reason: "The entitlements name the group \"\(group)\", which programs of this team may not have.",
                advice: "Begin keychain groups with the team identifier and a period, application groups with group.")
        default: preconditionFailure("the words of a signature's failure are here")
        }
    }

    private var programWords: Words {
        switch self {
        case .interpreter(let name):
            Words(
                rule: "signature-interpreter",
                reason: "\(name) runs other programs' code: its entitlements would be every program's.",
                advice: "Build a program of your own that contains or starts the code that needs the keychain, and "
                    + "sign that.")
        case .script:
            Words(
                rule: "signature-script",
                reason: "A script cannot be signed: the file that runs is its interpreter.",
                advice: "Build a program of your own for the code that needs the keychain, and sign that.")
        case .unreadable(let what):
            Words(
                rule: "program-unreadable", reason: "The program's file cannot be read: \(what).",
                advice: "Check the file and its permissions.")
        case .malformedProgram(let what):
            Words(
                rule: "program-malformed", reason: "The program's file is not a valid ELF file: \(what).",
                advice: "Build or install the program again.")
        default: preconditionFailure("the words of a program's failure are here")
        }
    }

    private var deviceWords: Words {
        switch self {
        case .teamNotTrusted(let team):
            Words(
                rule: "team-not-trusted", reason: "This device does not trust team \(team), which signed the program.",
                advice: "If you know whose key it is: latchkey team trust.")
        case .teamOtherKey(let team):
            Words(
                rule: "team-other-key",
                reason: "The program is signed with another key than the one this device trusts as team \(team). "
                    + "An attacker may be posing as that team.",
                advice: "Do not use this program; ask the team.")
        case .teamRevoked(let team):
            Words(
                rule: "team-revoked", reason: "The trust in team \(team) was revoked on this device.",
                advice: "Do not use this program, or trust the team again with latchkey team trust.")
        case .teamExpired(let team, _):
            Words(
                rule: "team-expired", reason: "The trust in team \(team) has expired.",
                advice: "Trust the team again with latchkey team trust.")
        case .levelTooLow(let found, let needed):
            Words(
                rule: "assurance-level-too-low",
                reason: "The program demands its groups at assurance level \(needed.rawValue) or better and runs at "
                    + "level \(found.rawValue).",
                advice: "Install it setgid as the manual describes, or see latchkey access explain.")
        default: preconditionFailure("the words of a device's refusal are here")
        }
    }

    private var signingWords: Words {
        switch self {
        case .noPlace:
            Words(
                rule: "signature-no-place", reason: "The program has no room for a signature.",
                advice: "Link it with Latchkey's library Security, or use a detached signature.")
        case .tooLarge(let byteCount):
            Words(
                rule: "signature-too-large",
                reason: "The signature has \(byteCount) bytes, more than the \(ProgramSignature.byteLimit) there is "
                    + "room for.",
                advice: "Name fewer groups in the entitlements.")
        case .unwritable(let what):
            Words(
                rule: "program-unwritable", reason: "The program's file cannot be written: \(what).",
                advice: "Check the permissions of the file and its directory, and the free space.")
        case .keyUnreadable:
            Words(
                rule: "team-key-unreadable", reason: "The file holds no private key in PEM form, or is damaged.",
                advice: "Name the file that latchkey team create wrote, or take it from a backup.")
        case .keyNeedsPassphrase:
            Words(
                rule: "team-key-encrypted", reason: "The team key is encrypted, and no passphrase was given.",
                advice: "Give its passphrase.")
        case .keyPassphraseRefused:
            Words(
                rule: "team-key-passphrase", reason: "The team key does not open with this passphrase, or is damaged.",
                advice: "Try again.")
        case .keyOfOtherKind:
            Words(
                rule: "team-key-kind", reason: "The private key is not one for ECDSA over P-256.",
                advice: "Make one with latchkey team create.")
        default: preconditionFailure("the words of a failed signing are here")
        }
    }
}
