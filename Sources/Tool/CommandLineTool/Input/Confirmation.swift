import Glibc

/// A word that the user types on the terminal before something is done that cannot be undone.
struct Confirmation {
    let word: String
    /// The first sentence of the failure: "Nothing was erased."
    let unchanged: String

    /// True if standard input is a terminal.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Refuses where there is no terminal to ask on.
    ///
    /// - Parameter why: the failure's second sentence.
    func requireTerminal(why: String) throws(CommandFailure) {
        guard !Self.isPossible else { return }
        throw CommandFailure(.notConfirmed, unchanged, why: why, advice: "Say --yes if it is meant.")
    }

    /// Shows the warning and reads a line, which has to be the word.
    func ask(_ warning: String, to act: String = "go on") throws(CommandFailure) {
        StandardError.write("\(warning)\nType \(word) to \(act): ")
        guard let answer = readLine(), answer == word else {
            throw CommandFailure(.notConfirmed, unchanged, why: "The answer was not the word \"\(word)\".")
        }
    }
}
