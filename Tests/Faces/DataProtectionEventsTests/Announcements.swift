import DataProtectionEvents
import Foundation
import SecurityTesting
import Testing

/// Hears everything that a center announces, in its order.
@MainActor
final class Announcements: ProtectedDataDelegate {
    enum Event: Sendable {
        case toldWill, toldDid, postedWill, postedDid
    }

    private var events: [Event] = []
    private var waiting: CheckedContinuation<Void, Never>?
    private var observers: [any NSObjectProtocol] = []

    init(of center: ProtectedDataCenter) {
        // By their names as text: code that was written without this module posts and observes the same.
        for (name, event) in [
            ("UIApplicationProtectedDataWillBecomeUnavailable", Event.postedWill),
            ("UIApplicationProtectedDataDidBecomeAvailable", .postedDid),
        ] {
            observers.append(
                NotificationCenter.default.addObserver(
                    forName: Notification.Name(name), object: center, queue: nil
                ) { [weak self] note in
                    #expect(note.userInfo?.isEmpty ?? true)
                    MainActor.assumeIsolated { self?.hear(event) }
                })
        }
    }

    func end() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func applicationProtectedDataWillBecomeUnavailable(_ application: ProtectedDataCenter) {
        hear(.toldWill)
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: ProtectedDataCenter) {
        hear(.toldDid)
    }

    private func hear(_ event: Event) {
        events.append(event)
        waiting?.resume()
        waiting = nil
    }

    /// Returns the next events.
    func next(_ count: Int = 2) async -> [Event] {
        while events.count < count { await withCheckedContinuation { waiting = $0 } }
        defer { events.removeFirst(count) }
        return Array(events.prefix(count))
    }
}
