package import LatchkeyThreading

/// The connection of the daemon to its transport.
package protocol TransportLink: Sendable {
    /// Sends a message and waits for the answer. The message may be sent twice if the first answer was lost.
    ///
    /// - Parameter end: the wait for the answer may be given up when it is over.
    func call(_ body: [UInt8], until end: Cancellation?) throws(TransportLinkFailure) -> [UInt8]
}

/// A reason for which no answer came.
package enum TransportLinkFailure: Error, Hashable, Sendable {
    /// No transport is running, or it ended.
    case unreachable
    /// The transport does not start, because the folder of the store is missing.
    case folderMissing
    /// The transport runs, and did not answer in time.
    case silent
    /// A process answers that is not the transport, or it refuses this process.
    case refused
    /// The wait was over.
    case cancelled
}
