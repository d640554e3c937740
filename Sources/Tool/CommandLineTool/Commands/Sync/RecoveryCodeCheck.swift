import Glibc
import LatchkeyPrompt
import LatchkeySecretMemory

/// Asks for two groups of a recovery code that was just shown: they tell whether the user has written it down.
struct RecoveryCodeCheck: Sendable {
    private static let groupLength = 4
    private static let attempts = 3

    private let code: SecretBox

    /// - Parameter code: groups of four characters, with hyphens between them.
    init(_ code: SecretBox) {
        self.code = code
    }

    /// Asks on the terminal that has shown the code. Nothing is asked where there is none.
    func ask() {
        guard isatty(STDOUT_FILENO) == 1, let terminal = TerminalEntry(descriptor: STDIN_FILENO, output: STDERR_FILENO)
        else { return }
        let count = (code.count + 1) / (Self.groupLength + 1)
        for number in (1...count).shuffled().prefix(2).sorted() {
            guard isKnown(number, at: terminal) else {
                return StandardError.write(
                    "The code stands as it was shown. If it is not written down, make another one: latchkey sync "
                        + "recovery-code new\n")
            }
        }
        StandardError.write("Both groups are right.\n")
    }

    private func isKnown(_ number: Int, at terminal: TerminalEntry) -> Bool {
        let start = (number - 1) * (Self.groupLength + 1)
        let group = code.slice(start..<start + Self.groupLength)
        for _ in 0..<Self.attempts {
            guard let typed = try? terminal.secret(prompt: "Group \(number) of the recovery code: ") else {
                return false
            }
            if group.equals(Self.capitals(typed)) { return true }
            StandardError.write("This is not group \(number).\n")
        }
        return false
    }

    /// Returns what the user typed in capital letters, as the code is shown.
    private static func capitals(_ typed: SecretBox) -> SecretBox {
        unsafe typed.withBytes { typed in
            unsafe SecretBox(count: typed.count) { output in
                for index in typed.indices {
                    let byte = unsafe typed[index]
                    let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    unsafe output[index] = isSmall ? byte - 32 : byte
                }
            }
        }
    }
}
