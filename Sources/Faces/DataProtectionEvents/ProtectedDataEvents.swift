import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The state of the data that a lock protects: items of `kSecAttrAccessibleWhenUnlocked` and keys of their kind.
public enum ProtectedDataState: Sendable, Hashable, CaseIterable {
    /// The device is unlocked, or has no passcode.
    case available
    /// The device was just locked; its keys go at the end of the grace period. Time to close what is open.
    case becomingUnavailable
    /// The device is locked. Items of `kSecAttrAccessibleAfterFirstUnlock` open as before.
    case unavailable
    /// The device has not been unlocked since it started: those are closed, too.
    case beforeFirstUnlock
}

/// The lock and unlock events of the device that the surrounding code uses: what an iOS app hears as
/// `protectedDataWillBecomeUnavailable` and `protectedDataDidBecomeAvailable`.
///
/// ```swift
/// for await state in ProtectedDataEvents() {
///     if state != .available { cache.clear() }
/// }
/// ```
///
/// The first element is the present state, at once; every other one is a change, pushed by the device. Two elements in a row
/// differ. A loop that is slower than the device gets the last 16 changes.
///
/// The sequence ends when the device goes away (its daemon stops or is killed, an embedded device is closed), or when
/// it cannot be reached at all; then it has no element. Nothing is known from then on: treat the data as unavailable,
/// and begin a new sequence to go on. A device keeps 64 sequences at a time, and 8 of one process; the next one ends at
/// once after its first element.
///
/// Each iterator follows the device by itself, with a thread and, to a daemon, a connection of its own. It stops when the
/// iterator is released or its task is cancelled.
public struct ProtectedDataEvents: AsyncSequence, Sendable {
    public typealias Element = ProtectedDataState

    private static let bufferedCount = 16

    /// Nil where there is no device.
    private let keychain: (any Keychain)?

    /// The events of the device that is current where this is called.
    public init() {
        keychain = try? CurrentKeychain.keychain()
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var states: AsyncStream<ProtectedDataState>.Iterator

        fileprivate init(_ keychain: (any Keychain)?) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: ProtectedDataState.self, bufferingPolicy: .bufferingNewest(ProtectedDataEvents.bufferedCount))
            states = stream.makeAsyncIterator()
            guard let watch = keychain?.watchProtectedData() else {
                continuation.finish()
                return
            }
            continuation.onTermination = { _ in watch.end() }
            let isStarted = DetachedThread.start {
                while let state = watch.next() { continuation.yield(ProtectedDataState(state)) }
                continuation.finish()
            }
            if !isStarted { continuation.finish() }
        }

        public mutating func next() async -> ProtectedDataState? {
            await states.next()
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> ProtectedDataState? {
            await states.next(isolation: actor)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(keychain)
    }
}

extension ProtectedDataState {
    fileprivate init(_ state: LatchkeyKeychainMessages.ProtectedDataState) {
        self =
            switch state {
            case .available: .available
            case .becomingUnavailable: .becomingUnavailable
            case .unavailable: .unavailable
            case .beforeFirstUnlock: .beforeFirstUnlock
            }
    }
}
