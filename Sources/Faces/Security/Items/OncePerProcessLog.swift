import Foundation
import LatchkeyThreading

/// A log that writes each line once for a process: a result code alone does not tell that a device is not set up.
package final class OncePerProcessLog: Sendable {
    /// To standard error.
    package static let ofThisProcess = OncePerProcessLog { FileHandle.standardError.write(Data($0.utf8)) }

    private let said = ForkMutex<Set<String>>([])
    private let write: @Sendable (String) -> Void

    package init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Writes a line that has not been written before.
    package func say(_ line: String) {
        guard said.withLock({ $0.insert(line).inserted }) else { return }
        write(line + "\n")
    }
}
