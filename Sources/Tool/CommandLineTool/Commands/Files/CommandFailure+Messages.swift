import LatchkeyRNCryptorFormat

extension CommandFailure {
    /// Describes a file that is not a message, or that this password does not open.
    init(_ failure: MessageFailure, opening name: String) {
        switch failure {
        case .notAuthentic:
            self.init(
                .notAuthentic, "\(name) was not decrypted.",
                why: "The password is wrong, or the file was changed; the two cannot be told apart.",
                advice: "Try the password again. If it is right, get the file again from its source.")
        case .unknownHeader:
            self.init(
                .inputMalformed, "\(name) is not a file of RNCryptor's format.",
                why: "Its first byte is not a known version (1, 2 or 3).",
                advice: "Find out what made it: `file` may know the format.")
        case .unknownOptions(let found):
            self.init(
                .inputMalformed, "\(name) is not a file of RNCryptor's format, or is damaged.",
                why: "Its second byte is \(found), where only 0 and 1 are valid.",
                advice: "Find out what made it, or get it again from its source.")
        case .tooShort:
            self.init(
                .inputMalformed, "\(name) is too short.",
                why: "Even a message of nothing has \(MessageSize.message(plaintextByteCount: 0, .password)) bytes.",
                advice: "It was cut off, or has another format. Get it again from its source.")
        case .otherCredentials:
            self.init(
                .inputMalformed, "\(name) was made with keys, not with a password.",
                why: "Its header says so; this command opens only files made with a password.",
                advice: "Open it with the two keys in a program: DecryptorV3(encryptionKey:hmacKey:) of RNCryptor.")
        case .badPadding:
            self.init(
                .inputMalformed, "\(name) was not decrypted.",
                why: "It was made with this password, but its last block is not padded as the format says.",
                advice: "Fix the program that made it.")
        case .emptyPassword: self = .emptyPassword
        case .badKeyLength:
            self.init(.failure, "\(name) was not decrypted.", why: "A key is not 32 bytes long.")
        }
    }

    static let emptyPassword = CommandFailure(
        .secretUnreadable, "The password is empty.", why: "It would protect nothing, and the format has none.",
        advice: "Type one, pipe one in, or name an open descriptor with --password-fd.")

    static func messageCutOff(_ name: String, byteCount: Int) -> CommandFailure {
        CommandFailure(
            .inputMalformed, "\(name) is not whole.",
            why: "It has \(byteCount) bytes, and no message has that many: something is missing or was appended.",
            advice: "Get it again from its source.")
    }

    /// - Parameter released: how many bytes cannot be taken back.
    static func inputChanged(_ name: String, released: Int) -> CommandFailure {
        let left =
            released == 0
            ? "Nothing was left behind."
            : "What was written is only the first \(released) bytes of it: delete it."
        return CommandFailure(
            .inputUnreadable, "\(name) was changed while it was decrypted.",
            why: "It was intact when it was checked, and was changed since.",
            advice: "Find out who writes to it, then run the command again. \(left)")
    }
}
