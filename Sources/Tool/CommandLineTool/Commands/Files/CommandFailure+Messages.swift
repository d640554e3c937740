import LatchkeyRNCryptorFormat

extension CommandFailure {
    /// A file that is no message, or none that this password opens.
    init(_ failure: MessageFailure, opening name: String) {
        switch failure {
        case .notAuthentic:
            self.init(
                .notAuthentic, "\(name) was not decrypted.",
                why: "The password is another one, or the file is not as it was encrypted; the two look the same.",
                advice: "Try the password again. If it is right, take the file from where it came.")
        case .unknownHeader:
            self.init(
                .inputMalformed, "\(name) is no file of RNCryptor's format.",
                why: "Its first byte is none of the versions 1, 2 and 3.",
                advice: "Find out what made it: `file` may know the format.")
        case .unknownOptions(let found):
            self.init(
                .inputMalformed, "\(name) is no file of RNCryptor's format, or a damaged one.",
                why: "Its second byte is \(found), where only 0 and 1 mean something.",
                advice: "Find out what made it, or take it again from where it came.")
        case .tooShort:
            self.init(
                .inputMalformed, "\(name) is too short.",
                why: "Even a message of nothing has \(MessageSize.message(plaintextByteCount: 0, .password)) bytes.",
                advice: "It was cut off, or is something else. Take it again from where it came.")
        case .otherCredentials:
            self.init(
                .inputMalformed, "\(name) was made with keys, not with a password.",
                why: "Its header says so; this command opens what a password opens.",
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
            advice: "Take it again from where it came.")
    }

    /// - Parameter released: how many bytes cannot be taken back.
    static func inputChanged(_ name: String, released: Int) -> CommandFailure {
        let left =
            released == 0
            ? "Nothing was left behind."
            : "What was written is only the first \(released) bytes of it: throw it away."
        return CommandFailure(
            .inputUnreadable, "\(name) was changed while it was decrypted.",
            why: "It was as it had been encrypted when it was checked, and is not any more.",
            advice: "Find out who writes to it, then run the command again. \(left)")
    }
}
