@_implementationOnly import CLatchkeyShims

/// Stands for one process: a child of `fork` has another mark than the processes that it comes from.
///
/// For objects that are asked at each use whether a fork has copied them: the mark is a word of memory that the kernel does not
/// hand on to children, and asking takes no system call.
package struct ProcessMark: Equatable, Sendable {
    /// The word; it is never 0.
    package let number: UInt64

    /// The mark of this process.
    package static var current: ProcessMark { ProcessMark(number: lk_process_mark()) }
}
