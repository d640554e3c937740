package import LatchkeyItemModel

extension SignatureFailure {
    package var rule: Rule { text.rule }
    package var reason: String { text.reason }
    package var advice: String { text.advice }

    /// The text of the failure's rule. The compiler sees to it that every failure has one.
    package var text: RuleText {
        switch self {
        case .malformed(let what): RuleText(of: .signatureMalformed, what)
        case .wrongDigest: RuleText(of: .signatureWrongDigest)
        case .invalid: RuleText(of: .signatureInvalid)
        case .twoSignatures: RuleText(of: .signatureTwo)
        case .teamMismatch(let expected, let found): RuleText(of: .signatureTeamMismatch, found, expected)
        case .tooNew(let needs): RuleText(of: .signatureTooNew, needs, SignatureStatement.currentVersion)
        case .malformedEntitlements(let what): RuleText(of: .entitlementsMalformed, what)
        case .foreignApplication(let entitlement, let application):
            RuleText(of: .entitlementsOtherApplication, entitlement, application)
        case .foreignGroup(let group): RuleText(of: .entitlementsForeignGroup, group)
        case .interpreter(let name): RuleText(of: .signatureInterpreter, name)
        case .script: RuleText(of: .signatureScript)
        case .unreadable(let what): RuleText(of: .programUnreadable, what)
        case .malformedProgram(let what): RuleText(of: .programMalformed, what)
        case .teamNotTrusted(let team): RuleText(of: .teamNotTrusted, team)
        case .teamOtherKey(let team): RuleText(of: .teamOtherKey, team)
        case .teamRevoked(let team): RuleText(of: .teamRevoked, team)
        case .teamExpired(let team, _): RuleText(of: .teamExpired, team)
        case .aliasNotPinned(let alias, let team): RuleText(of: .teamAliasNotPinned, alias, team)
        case .aliasTaken(let alias, let team): RuleText(of: .teamAliasTaken, alias, team)
        case .levelTooLow(let found, let needed):
            RuleText(of: .assuranceLevelTooLow, needed.rawValue, found.rawValue)
        case .noPlace: RuleText(of: .signatureNoPlace)
        case .tooLarge(let byteCount): RuleText(of: .signatureTooLarge, byteCount, ProgramSignature.byteLimit)
        case .unwritable(let what): RuleText(of: .programUnwritable, what)
        case .keyUnreadable: RuleText(of: .teamKeyUnreadable)
        case .keyNeedsPassphrase: RuleText(of: .teamKeyEncrypted)
        case .keyPassphraseRefused: RuleText(of: .teamKeyPassphrase)
        case .keyOfOtherKind: RuleText(of: .teamKeyKind)
        }
    }
}
