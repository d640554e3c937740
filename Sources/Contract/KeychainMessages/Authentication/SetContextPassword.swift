package import LatchkeySecretMemory

/// Sets the application password of the context; nil removes it.
package struct SetContextPassword: AuthenticationQuestion {
    package typealias Answer = AuthenticationDone

    package static let number: Int64 = 4
    package static let traits: KeychainTraits = []

    package let password: SecretBox?

    package init(_ password: SecretBox?) {
        self.password = password
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(password)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.optionalSecret("secret"))
    }

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}
