package import LatchkeySecretMemory

/// Sets the passcode for the next evaluation that requires it, in place of a prompt; nil removes it.
///
/// Only the owner's tool and programs with the entitlement may do this.
package struct SetContextPasscode: AuthenticationQuestion {
    package typealias Answer = AuthenticationDone

    package static let number: Int64 = 5
    package static let traits: KeychainTraits = []

    package let passcode: SecretBox?

    package init(_ passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.optionalSecret("secret"))
    }

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}
