/// The failure of a question of an `LAContext`: the number for `LAError`, and the rule for people.
package struct AuthenticationRefusal: KeychainFailure, Hashable {
    package let error: AuthenticationError
    package let refusal: Refusal

    package init(_ error: AuthenticationError, _ refusal: Refusal) {
        self.error = error
        self.refusal = refusal
    }

    package static let contextEnded = AuthenticationRefusal(.invalidContext, EndedSession.refusal)
}

extension AuthenticationRefusal {
    private static let number: Int64 = 3

    package static let questionKind = MessageCoding.Kind.authenticationRequest
    package static let answerKind = MessageCoding.Kind.authenticationReply

    package func write(to writer: inout FieldWriter) {
        writer.integer(Self.number)
        writer.integer(error.rawValue)
        writer.value(MessageCoding.value(of: refusal))
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard number == Self.number else { return nil }
        guard let error = AuthenticationError(rawValue: try fields.integer("error")) else { throw .badField("error") }
        guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
        self.init(error, try MessageCoding.refusal(part))
    }
}

/// The reason why an authentication failed, with the numbers of `LAError.Code`.
package enum AuthenticationError: Int64, Error, Sendable, Hashable, CaseIterable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case invalidContext = -10
    case companionNotAvailable = -11
    case biometryNotPaired = -12
    case biometryDisconnected = -13
    case invalidDimensions = -14
    case notInteractive = -1004
}
