import CLatchkeyShims
import Glibc
import LatchkeyPlainText

/// A program of this installation: it lies beside the one that is running.
package struct Program: Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The program `name` beside this process's own executable; nil if there is none.
    package static func besideThisOne(_ name: String) -> Program? {
        guard let directory = directoryOfThisOne else { return nil }
        let path = directory + "/" + name
        return unsafe access(path, X_OK) == 0 ? Program(path: path) : nil
    }

    /// Where this process's executable lies.
    package static var directoryOfThisOne: String? {
        RunningProcess.link("/proc/self/exe").flatMap { PathText.parent(of: $0) }
    }

    /// Starts the program. Its descriptors are standard input, output and error, in this order.
    ///
    /// - Parameter detached: in a session of its own, so that closing the terminal does not end it.
    package func start(
        _ arguments: [String], environment: [String]? = nil, descriptors: (Int32, Int32, Int32), detached: Bool
    ) throws(ProgramFailure) -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
        defer {
            unsafe (pointers + variables).forEach { unsafe free($0) }
        }
        var identifier: pid_t = 0
        let sources = [descriptors.0, descriptors.1, descriptors.2]
        let result =
            if environment == nil {
                unsafe lk_spawn(path, &pointers, environ, sources, detached ? LK_SPAWN_NEW_SESSION : 0, &identifier)
            } else {
                unsafe lk_spawn(path, &pointers, &variables, sources, detached ? LK_SPAWN_NEW_SESSION : 0, &identifier)
            }
        guard result == 0 else { throw ProgramFailure(path: path, errno: -result) }
        return identifier
    }
}

/// A program that could not be started.
package struct ProgramFailure: Error, Sendable {
    package let path: String
    package let errno: Int32
}
