import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The changes of the keychain items that this program may read: added, changed and deleted ones.
///
/// ```swift
/// for await _ in KeychainChanges() {
///     accounts.reload()
/// }
/// ```
///
/// An element says that something in the program's access groups has changed, and not what: look with `SecItemCopyMatching`. Changes by
/// other programs count, those that came from another device of the circle, and **those of this program**, whichever of its parts made
/// them: a loop that writes items on each element would run for ever unless it compares first. Changes in groups that the program may not read
/// make no element, and nothing about them can be told from one. Items that only become readable or unreadable, because the device
/// locks, have not changed: see `ProtectedDataEvents`.
///
/// Changes that belong together are one element: it comes 250 ms after the first of them at the earliest, and at most once a second.
/// A loop that is slower gets one element for everything that it missed. On a virtual device in a test the device's own clock counts, which the test
/// moves with `advance(by:)`.
///
/// Every change from the making of the iterator on is reported, also one that happens while the daemon is started anew: the
/// sequence connects again and then has one element, because items may have changed meanwhile. It ends when its task is cancelled, or an
/// embedded device is closed. A device keeps 64 sequences at a time, and 8 of one process; the next one ends at once. An embedded
/// device, which programs open without a daemon, reports the changes of its own process alone.
///
/// Each iterator has a thread and, to a daemon, a connection of its own. Both end when the iterator is released.
public struct KeychainChanges: AsyncSequence, Sendable {
    public typealias Element = Void

    /// Nil where there is no device.
    private let keychain: (any Keychain)?

    /// The events of the device that is current where this is called.
    public init() {
        keychain = try? CurrentKeychain.keychain()
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var changes: AsyncStream<Void>.Iterator

        fileprivate init(_ keychain: (any Keychain)?) {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            changes = stream.makeAsyncIterator()
            guard let watch = keychain?.watchItems() else {
                continuation.finish()
                return
            }
            // Before this returns, so that no later change is overlooked.
            watch.begin()
            continuation.onTermination = { _ in watch.end() }
            let isStarted = DetachedThread.start {
                while watch.next() { continuation.yield() }
                continuation.finish()
            }
            if !isStarted { continuation.finish() }
        }

        public mutating func next() async -> Void? {
            await changes.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Void? {
            await changes.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(keychain)
    }
}
