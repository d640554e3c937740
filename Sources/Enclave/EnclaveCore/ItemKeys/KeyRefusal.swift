/// Why one key was not opened or made.
package enum KeyRefusal: UInt8, Error, Sendable {
    /// The class key exists but is not loaded in this lock state.
    case locked = 1
    /// The class key does not exist (`akpu` without a passcode).
    case classKeyMissing = 2
    /// The wrapped key does not fit the class key and the binding: altered, or made under a key that is gone.
    case damaged = 3
    /// The context's evidence does not fulfil the conditions of the binding; ``AssessDemand`` says what is missing.
    case authenticationNeeded = 4
    /// The conditions can never be fulfilled again: the enrolment set of the binding is gone.
    case invalidated = 5
    case wrongApplicationPassword = 6
    /// The key was deleted: it never opens again.
    case deleted = 7
}
