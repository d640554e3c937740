public import Foundation
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// The place of a program where availability is asked for and announced: what `UIApplication.shared` is on iOS.
///
/// ```swift
/// NotificationCenter.default.addObserver(
///     forName: ProtectedDataCenter.protectedDataWillBecomeUnavailableNotification, object: nil, queue: nil
/// ) { _ in cache.clear() }
/// ProtectedDataCenter.shared.beginPosting()
/// ```
///
/// Between ``beginPosting()`` and ``endPosting()`` a center follows its device and announces each change twice: to its
/// ``delegate``, and as a notification in `NotificationCenter.default` with the center as its object. Both happen on
/// the main actor, so the program must run `RunLoop.main`, `dispatchMain()` or an asynchronous `main`. The device pushes
/// its changes; a center has one thread and, to a daemon, one connection for all listeners.
///
/// Unavailability is announced when the device locks. The keys go at the end of the grace period; until then everything
/// opens as before.
public final class ProtectedDataCenter: Sendable {
    /// Posted when the device was unlocked: everything opens. It has no `userInfo`.
    public static let protectedDataDidBecomeAvailableNotification =
        Notification.Name.UIApplicationProtectedDataDidBecomeAvailable
    /// Posted when the device locks, at the beginning of the grace period. It has no `userInfo`.
    public static let protectedDataWillBecomeUnavailableNotification =
        Notification.Name.UIApplicationProtectedDataWillBecomeUnavailable

    private struct State {
        /// True between ``beginPosting()`` and ``endPosting()``.
        var isWanted = false
        var watch: (any ProtectedDataWatch)?
        /// The number of that watch: one that has ended does nothing to its successor.
        var watchNumber = 0
        /// The state that the program knows; nil before the first watch.
        var isAvailable: Bool?
    }

    private struct Entry: Sendable {
        weak var center: ProtectedDataCenter?
        /// The center of the device that the environment names: its delegate stays when the daemon is started anew.
        let kept: ProtectedDataCenter?
    }

    /// Nil where there is no device.
    private let keychain: (any Keychain)?
    /// The keychain that was current for the task which made the center: announcements are made under it.
    private let scope: (any Keychain)?
    /// In a child of `fork` no center posts until it begins there: the parent's watch has no thread in it.
    private let state = ProcessMutex(State())
    /// Held while a watch begins, which asks the device.
    private let beginning = ProcessMutex(())

    private static let centers = ProcessMutex<[ObjectIdentifier: Entry]>([:])

    private init(_ keychain: (any Keychain)?) {
        self.keychain = keychain
        scope = CurrentKeychain.scoped
    }

    /// The center of the device that is current where this is called: the daemon's, an embedded one, or that of a test.
    ///
    /// There is one for each device. The center of a virtual device lives while it is posting or is used.
    public static var shared: ProtectedDataCenter {
        let isChosen = CurrentKeychain.chosen != nil
        guard let keychain = try? CurrentKeychain.keychain() else { return ProtectedDataCenter(nil) }
        return centers.withLock { centers in
            // A center that lives keeps its keychain alive, so its identity is of no other one.
            if let known = centers[keychain.identity]?.center { return known }
            centers = centers.filter { $0.value.center != nil }
            let made = ProtectedDataCenter(keychain)
            centers[keychain.identity] = Entry(center: made, kept: isChosen ? nil : made)
            return made
        }
    }

    /// The object that hears of changes, before the observers of notifications. Setting one calls ``beginPosting()``.
    @MainActor public weak var delegate: (any ProtectedDataDelegate)? {
        didSet { if delegate != nil { beginPosting() } }
    }

    /// True while everything opens: the device is unlocked, has no passcode, or is within the grace period of a lock.
    ///
    /// Asks the device. False if it does not answer. If posting had ended with the device, it goes on when the device
    /// answers again.
    public var isProtectedDataAvailable: Bool {
        let present = presentState
        if present != nil, state.withLock({ $0.isWanted && $0.watch == nil }) { beginPosting() }
        return present == .available || present == .becomingUnavailable
    }

    /// True while the center follows its device.
    public var isPosting: Bool { state.withLock { $0.watch != nil } }

    /// Begins to announce changes. Every change from the return of this call on is announced, and nothing before.
    ///
    /// Call it once, where the program starts: `NotificationCenter` does not say who observes. A further call changes
    /// nothing while ``isPosting`` is true. When the device goes away (its daemon stops, or an embedded device is closed),
    /// the data counts as unavailable, and posting ends; the next call of this or of ``isProtectedDataAvailable`` goes on.
    ///
    /// - Returns: false if the device cannot be followed: it does not answer.
    @discardableResult
    public func beginPosting() -> Bool {
        beginning.withLock { _ in
            let isBegun = state.withLock { state in
                state.isWanted = true
                return state.watch != nil
            }
            if isBegun { return true }
            // The present state is known before this returns, so that no later change is taken for it.
            guard let watch = keychain?.watchProtectedData(), let present = watch.next() else { return false }
            let number = state.withLock { state in
                state.watchNumber += 1
                state.watch = watch
                return state.watchNumber
            }
            announce(present == .available, number)
            // The thread keeps the center alive.
            let isStarted = DetachedThread.start { [self] in
                while let now = watch.next() { announce(now == .available, number) }
                watchEnded(number)
            }
            if !isStarted { watchEnded(number) }
            return isStarted
        }
    }

    /// Ends what ``beginPosting()`` began. Called on the main actor, nothing more is announced when it returns.
    public func endPosting() {
        let watch = state.withLock { state in
            defer { state = State(watchNumber: state.watchNumber + 1) }
            return state.watch
        }
        watch?.end()
    }

    private var presentState: LatchkeyKeychainMessages.ProtectedDataState? {
        let watch = keychain?.watchProtectedData()
        defer { watch?.end() }
        return watch?.next()
    }

    /// Announces a change. The first state after ``beginPosting()`` is not announced.
    private func announce(_ isAvailable: Bool, _ number: Int) {
        let isChange = state.withLock { state in
            guard state.watchNumber == number, state.isAvailable != isAvailable else { return false }
            defer { state.isAvailable = isAvailable }
            return state.isAvailable != nil
        }
        guard isChange else { return }
        // Not a task of the main actor: the queue keeps the order. Not the dispatch queue: under an asynchronous `main` it is
        // served by other threads, and posting there to an observer with `queue: .main` would wait for itself.
        OperationQueue.main.addOperation { [self] in
            guard state.withLock({ $0.watchNumber == number }) else { return }
            MainActor.assumeIsolated { deliver(isAvailable) }
        }
    }

    @MainActor private func deliver(_ isAvailable: Bool) {
        let announce: @MainActor () -> Void = { [self] in
            if isAvailable {
                delegate?.applicationProtectedDataDidBecomeAvailable(self)
            } else {
                delegate?.applicationProtectedDataWillBecomeUnavailable(self)
            }
            let name =
                isAvailable
                ? Self.protectedDataDidBecomeAvailableNotification
                : Self.protectedDataWillBecomeUnavailableNotification
            NotificationCenter.default.post(name: name, object: self)
        }
        guard let scope else { return announce() }
        CurrentKeychain.$scoped.withValue(scope, operation: announce)
    }

    /// The device is gone, or has too many watches: then its state still counts.
    private func watchEnded(_ number: Int) {
        guard state.withLock({ $0.watchNumber == number }) else { return }
        announce(presentState == .available, number)
        state.withLock { state in
            guard state.watchNumber == number else { return }
            state.watch = nil
        }
    }
}
