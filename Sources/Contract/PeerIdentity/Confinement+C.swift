import Glibc

@_implementationOnly import CLatchkeyShims

/// Rights that a daemon gives up permanently: this limits the effect of its mistakes, and of attackers who exploit one.
///
/// Files are confined per thread (Landlock): confine before starting a thread that is meant to be confined, and after
/// an ``OutsideThread``. System calls are refused in the whole process (seccomp).
package enum Confinement {
    /// The support of the kernel.
    package enum Outcome: Sendable, Equatable {
        case inForce
        /// The kernel or its settings do not offer it; the daemon works without this protection.
        case unavailable(errno: Int32)
    }

    /// Allows writing only beneath `writable`, and reading only there and beneath `readable`, or anywhere if that is
    /// nil.
    package static func restrictFiles(writable: [String], readable: [String]?) -> Outcome {
        unsafe outcome(
            withCStrings(writable) { writable in
                unsafe withCStrings(readable ?? []) { readable in
                    unsafe lk_landlock_restrict(writable, writable.count, readable, readable.count)
                }
            })
    }

    /// Refuses debugging other processes, kernel interfaces, mounts, and sockets that are not local; without
    /// `startingPrograms` also new processes.
    ///
    /// - Parameters:
    ///   - usingInternet: allows connections to the Internet; without `startingPrograms` it refuses to wait for connections.
    ///   - inThisThreadAlone: leaves the other threads as they are. Threads that this one starts are restricted, too.
    package static func restrictSystemCalls(
        startingPrograms: Bool, usingInternet: Bool = false, inThisThreadAlone: Bool = false
    ) -> Outcome {
        outcome(
            lk_seccomp_refuse(startingPrograms ? 1 : 0, usingInternet ? 1 : 0, inThisThreadAlone ? 1 : 0))
    }

    private static func outcome(_ number: Int32) -> Outcome {
        number == 0 ? .inForce : .unavailable(errno: -number)
    }

    private static func withCStrings<R>(_ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> R) -> R {
        let copies = unsafe texts.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe body(copies.map { unsafe UnsafePointer($0) })
    }
}
