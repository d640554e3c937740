/// What a client of the enclave must know about a request besides its bytes.
package struct EnclaveRequestTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Does the same when it is done twice, so that it may be sent again after a lost connection. A passcode is never
    /// tried twice.
    package static let repeatable = Self(rawValue: 1)
    /// May take as long as a person takes: not over a connection that others wait for.
    package static let waitsForPerson = Self(rawValue: 2)
    /// May end keys that callers hold: who sees the answer must not go on with those of the epoch before it.
    package static let changesKeys = Self(rawValue: 4)
}

extension EnclaveRequest {
    package var traits: EnclaveRequestTraits {
        switch self {
        case .status, .createKey, .createKeys, .unwrapKeys, .waitForChange, .passcodeCost: .repeatable
        case .verifyPasscode: []
        case .lock: [.repeatable, .changesKeys]
        case .setPasscode, .changePasscode, .removePasscode, .unlock, .erase, .configure: .changesKeys
        case .context(let request): request.traits
        case .biometry(let request): request.traits
        case .key(let request): request.traits
        }
    }
}

extension ContextRequest {
    fileprivate var traits: EnclaveRequestTraits {
        switch self {
        case .assess, .allowReuse, .bind, .close, .cancelMatch: .repeatable
        case .matchFinger: .waitsForPerson
        case .open, .offerPasscode, .setApplicationPassword: []
        }
    }
}

extension FingerRequest {
    fileprivate var traits: EnclaveRequestTraits {
        switch self {
        case .status, .cancelUnlock, .lockRemotely: [.repeatable, .changesKeys]
        case .unlockWithFinger, .continueEnrolment: [.waitsForPerson, .changesKeys]
        case .beginEnrolment, .cancelEnrolment, .removeFinger: .changesKeys
        }
    }
}

extension EnclaveKeyRequest {
    fileprivate var traits: EnclaveRequestTraits {
        switch self {
        case .describe, .delete: .repeatable
        case .create, .sign, .agree, .signMessage, .decapsulate: []
        }
    }
}
