extension Migration {
    /// The parts of the step to format 9, each in a file of its own.
    static let format9 = Migration("9", withoutGuessableTokens + format9OfSync)
}
