/// The reason why one key was not unwrapped or made.
package enum KeyRefusal: UInt8, Error, Sendable {
    /// The class key exists but is not loaded in this lock state.
    case locked = 1
    /// The class key does not exist (`akpu` without a passcode).
    case classKeyMissing = 2
    /// The wrapped key does not match the class key and the binding: it was altered, or made under a key that no longer
    /// exists.
    case damaged = 3
    /// The context's evidence does not satisfy the conditions of the binding; ``AssessDemand`` says what is missing.
    case authenticationNeeded = 4
    /// The conditions can never be satisfied again: the enrolment set of the binding no longer exists.
    case invalidated = 5
    case wrongApplicationPassword = 6
    /// The key was deleted and can never be used again.
    case deleted = 7
}
