import DataProtectionEvents
import Foundation
import SecurityTesting
import Testing

// The two lines with which code that was written for iOS compiles, as in Docs/Manual/ProtectedData.md.
private typealias UIApplication = ProtectedDataCenter
private typealias UIApplicationDelegate = ProtectedDataDelegate

/// Code of an iOS app, as it is there.
@MainActor
private final class Drafts {
    private(set) var text = "Dear diary"
    private(set) var isClosed = false
    private var observer: (any NSObjectProtocol)?

    init() {
        guard UIApplication.shared.isProtectedDataAvailable else { return }
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.protectedDataWillBecomeUnavailableNotification, object: UIApplication.shared,
            queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.isClosed = true }
        }
    }
}

@MainActor
private final class AppDelegate: UIApplicationDelegate {
    private(set) var heard: [String] = []
    var onUnlock: () -> Void = {}

    func applicationProtectedDataWillBecomeUnavailable(_ application: UIApplication) {
        heard.append("will \(application.isProtectedDataAvailable)")
    }

    func applicationProtectedDataDidBecomeAvailable(_ application: UIApplication) {
        heard.append("did \(application.isProtectedDataAvailable)")
        onUnlock()
    }
}

@Suite("Code that was written for iOS")
@MainActor
struct IOSCodeTests {
    @Test("hears of protected data under UIKit's names")
    func unmodified() async throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let (drafts, app) = device.run { () -> (Drafts, AppDelegate) in
            let app = AppDelegate()
            UIApplication.shared.delegate = app
            return (Drafts(), app)
        }
        try device.lock(withGrace: true)
        await withCheckedContinuation { continuation in
            app.onUnlock = { continuation.resume() }
            #expect(throws: Never.self) { try device.unlock("1234") }
        }
        #expect(app.heard.last == "did true")
        #expect(app.heard.count == 2)
        #expect(drafts.isClosed)
        #expect(drafts.text == "Dear diary")
    }
}
