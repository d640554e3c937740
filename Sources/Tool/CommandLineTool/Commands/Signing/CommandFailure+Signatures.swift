package import LatchkeyCodeSignature

extension CommandFailure {
    /// A signature that is not accepted, or that cannot be made.
    package init(_ failure: SignatureFailure, program: String) {
        let what: String
        let status: ExitReason
        switch failure {
        case .malformed, .tooNew, .malformedEntitlements, .foreignApplication, .foreignGroup:
            (status, what) = (.signatureMalformed, "The signature of \(program) is not accepted.")
        case .wrongDigest: (status, what) = (.programChanged, "\(program) is not the program that was signed.")
        case .invalid, .teamMismatch: (status, what) = (.signatureWrong, "The signature of \(program) is wrong.")
        case .twoSignatures: (status, what) = (.severalSignatures, "\(program) has more than one signature.")
        case .interpreter, .script: (status, what) = (.notSignable, "\(program) cannot be signed.")
        case .malformedProgram: (status, what) = (.notSignable, "\(program) is not a program that can be signed.")
        case .noPlace: (status, what) = (.notSignable, "\(program) cannot be signed in place.")
        case .unreadable: (status, what) = (.inputUnreadable, "\(program) cannot be read.")
        case .tooLarge: (status, what) = (.entitlementsRefused, "The signature does not fit into \(program).")
        case .unwritable: (status, what) = (.failure, "\(program) was not changed.")
        case .keyUnreadable, .keyOfOtherKind, .keyNeedsPassphrase:
            (status, what) = (.teamKeyUnusable, "The team's key cannot be used.")
        case .keyPassphraseRefused: (status, what) = (.wrongPassphrase, "The team's key does not open.")
        case .teamNotTrusted, .teamOtherKey, .teamRevoked, .teamExpired, .aliasNotPinned, .aliasTaken, .levelTooLow:
            (status, what) = (.accessGroupRefused, "\(program) gets no access groups on this device.")
        }
        let advice =
            switch failure {
            case .interpreter, .script:
                "Sign a program of your own that does the work, or a small launcher that is compiled with the script in "
                    + "it: Docs/Manual/Signing.md."
            case .noPlace:
                "Link it with Latchkey's library Security, which reserves the room; or sign it with --detached, which "
                    + "does not change the file."
            default: failure.advice
            }
        self.init(status, what, why: failure.reason, advice: advice)
    }

    /// Nothing has signed the program.
    static func notSigned(_ program: String) -> CommandFailure {
        CommandFailure(
            .notSigned, "\(program) is not signed.", why: "There is no signature in it and none for it on this device.",
            advice: "`latchkey codesign --team TEAM --identifier com.example.name` signs it.")
    }
}
