package import LatchkeyEncoding
package import LatchkeySecretMemory

/// Makes an invitation for one device, in place of an open one.
///
/// It needs the passcode: a program that had the code could name the device that the owner then approves.
package struct InviteDevice: BareSyncChange {
    package static let number: Int64 = 51
    package static let name = "sync-invite"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> NewInvitation {
        try circle.answer(self)
    }
}

/// An invitation for the person who takes it to the other device.
package struct NewInvitation: Sendable {
    /// In groups of four characters.
    package let code: SecretBox
    package let expires: WallTime

    package init(_ code: SecretBox, expires: WallTime) {
        self.code = code
        self.expires = expires
    }
}

extension NewInvitation: KeychainAnswer {
    package static let replyNumber: Int64 = 51

    package func write(to writer: inout FieldWriter) {
        writer.secret(code)
        writer.date(expires)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        code = try fields.secret("code")
        expires = try fields.date("expires")
    }
}
