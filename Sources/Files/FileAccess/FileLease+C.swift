import Glibc

@_implementationOnly import CLatchkeyShims

/// A hold on a file: a program that opens it for writing meanwhile has to wait, and the owner of the lease sees it.
package final class FileLease: Sendable {
    private let descriptor: OwnedDescriptor

    /// Nil where there are no leases: for files of other users, and on network file systems.
    ///
    /// - Parameter descriptor: opened for reading only.
    /// - Throws: ``ConversionFailure/openForWriting`` if a program has it open for writing.
    package init?(_ descriptor: OwnedDescriptor) throws(ConversionFailure) {
        self.descriptor = descriptor
        for attempt in 0... {
            switch -lk_file_lease(descriptor.number) {
            case 0: return
            case EAGAIN, EBUSY:
                // A child that was forked has what its parent had open, until it starts its own program.
                guard attempt < Self.attempts else { throw .openForWriting }
                usleep(Self.pauseMicroseconds)
            default: return nil
            }
        }
    }

    private static let attempts = 10
    private static let pauseMicroseconds: UInt32 = 10_000

    deinit {
        // The program that waits goes on at once.
        lk_file_end_lease(descriptor.number)
    }

    /// False if a program waits to write, or no longer waited.
    var isWhole: Bool { lk_file_lease_holds(descriptor.number) != 0 }
}

extension OwnedDescriptor {
    /// Locks the file alone, without waiting; false if it is in use.
    func lockAtOnce() -> Bool { lk_file_lock(number, LK_LOCK_ALONE) == 0 }
}
