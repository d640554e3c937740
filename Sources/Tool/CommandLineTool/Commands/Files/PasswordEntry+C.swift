import Glibc
import LatchkeyPrompt
import LatchkeySecretMemory

/// Reads the password of a file, or a code, where it comes from: a descriptor, the terminal of standard input, a line of standard
/// input, or, where that has the file, the terminal of this process.
final class PasswordEntry {
    /// The secret in the words of messages.
    enum Subject: String {
        case password
        case code
    }

    private let descriptor: Int32
    /// Where the prompt is shown.
    private let output: Int32
    private let isOwn: Bool
    private let subject: Subject

    init(
        descriptor: Int32?, standardInputIsFile: Bool, reading subject: Subject = .password
    ) throws(CommandFailure) {
        self.subject = subject
        isOwn = descriptor == nil && standardInputIsFile
        self.descriptor = unsafe isOwn ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : descriptor ?? STDIN_FILENO
        output = isOwn ? self.descriptor : STDERR_FILENO
        guard self.descriptor >= 0 else {
            throw CommandFailure(
                .secretUnreadable, "There is no password.",
                why: "Standard input has the file, and there is no terminal to ask at.",
                advice: "Name an open descriptor with --password-fd, or an item with -s and -a.")
        }
    }

    /// Refuses a descriptor that is not open for reading, before a file is opened that would get its number. Nil: standard
    /// input.
    static func check(_ descriptor: Int32?, reading subject: Subject = .password) throws(CommandFailure) {
        let flags = fcntl(descriptor ?? STDIN_FILENO, F_GETFL)
        guard flags < 0 || flags & O_ACCMODE == O_WRONLY else { return }
        guard descriptor == nil else { throw CommandFailure(.cannotRead(errno: EBADF), reading: subject.rawValue) }
        throw CommandFailure(
            .secretUnreadable, "There is no \(subject.rawValue).", why: "Standard input is closed.",
            advice: subject.advice)
    }

    deinit {
        if isOwn, descriptor >= 0 { close(descriptor) }
    }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// One line without its end. An empty one is refused.
    func line(prompt: String) throws(CommandFailure) -> SecretBox {
        let secret: SecretBox
        do throws(InputFailure) {
            if let terminal = TerminalEntry(descriptor: descriptor, output: output) {
                secret = try terminal.secret(prompt: prompt)
            } else {
                secret = try SecretReader.line(from: descriptor)
            }
        } catch {
            throw CommandFailure(error, reading: subject.rawValue)
        }
        guard secret.count > 0 else { throw subject.emptyLine }
        return secret
    }
}

extension PasswordEntry.Subject {
    fileprivate var advice: String {
        switch self {
        case .password: "Pipe one in, or name an open descriptor with --password-fd, or an item with -s and -a."
        case .code: "Pipe it in, or name an open descriptor with --code-fd."
        }
    }

    fileprivate var emptyLine: CommandFailure {
        switch self {
        case .password: .emptyPassword
        case .code: CommandFailure(.secretUnreadable, "There is no code.", why: "The line is empty.", advice: advice)
        }
    }
}
