internal import Glibc

/// A system call that failed, with its `errno`.
package struct SystemCallFailure: Error, Hashable, Sendable {
    package let call: String
    package let number: Int32

    package init(_ call: String, _ number: Int32) {
        self.call = call
        self.number = number
    }

    /// The failure of the call that this thread has just made.
    static func last(_ call: String) -> SystemCallFailure { SystemCallFailure(call, errno) }
}
