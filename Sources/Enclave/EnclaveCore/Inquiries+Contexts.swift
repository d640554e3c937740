package import LatchkeyAccessControl
package import LatchkeySecretMemory

/// Authentication contexts. Each call documents its ``ContextRequest``.
extension EnclaveInquiry where Answer == OpenedContext {
    package static var openContext: Self {
        Self(.context(.open)) { reply in
            switch reply {
            case .context(.opened(let context)): .opened(context)
            case .context(.tooMany): .tooMany
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == ContextAnswer<Done> {
    package static func close(_ context: ContextIdentifier) -> Self { done(.close(context)) }
    package static func cancelMatch(_ context: ContextIdentifier) -> Self { done(.cancelMatch(context)) }

    package static func allowReuse(seconds: Double, in context: ContextIdentifier) -> Self {
        done(.allowReuse(seconds: seconds, context))
    }

    package static func offerPasscode(_ passcode: SecretBox, to context: ContextIdentifier) -> Self {
        done(.offerPasscode(passcode, context))
    }

    package static func setApplicationPassword(_ password: SecretBox?, in context: ContextIdentifier) -> Self {
        done(.setApplicationPassword(password, context))
    }

    private static func done(_ request: ContextRequest) -> Self {
        Self(.context(request)) { reply in
            switch reply {
            case .context(.done): .known(Done())
            case .context(.unknown): .unknown
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == ContextAnswer<Verdict> {
    package static func assess(_ demand: AuthenticationDemand, in context: ContextIdentifier) -> Self {
        Self(.context(.assess(demand, context))) { reply in
            switch reply {
            case .context(.verdict(let verdict)): .known(verdict)
            case .context(.unknown): .unknown
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == ContextAnswer<MatchOutcome> {
    package static func matchFinger(seconds: Double, in context: ContextIdentifier) -> Self {
        Self(.context(.matchFinger(seconds: seconds, context))) { reply in
            switch reply {
            case .context(.match(let outcome)): .known(outcome)
            case .context(.unknown): .unknown
            default: nil
            }
        }
    }
}

extension EnclaveInquiry where Answer == BoundAccessControl {
    package static func bind(_ accessControl: AccessControl) -> Self {
        Self(.context(.bind(accessControl: accessControl))) { reply in
            switch reply {
            case .context(.bound(let bound)): .bound(bound)
            case .context(.notBound(let rule)): .notBound(rule)
            default: nil
            }
        }
    }
}
