import LatchkeyCryptoMisuse
import LatchkeyDevice
import LatchkeyKeychainMessages
import Synchronization

/// Hears every use of `CommonCrypto` while there is a device, and tells that of the app which makes it.
struct CryptoEar: CryptoListener {
    private struct State {
        var devices = 0
        var number = 0
    }

    private static let state = Mutex(State())

    /// One device more.
    static func open() {
        state.withLock { state in
            state.devices += 1
            if state.devices == 1 { state.number = CryptoWatch.listen(CryptoEar()) }
        }
    }

    /// One device less.
    static func close() {
        state.withLock { state in
            state.devices -= 1
            if state.devices == 0 { CryptoWatch.forget(state.number) }
        }
    }

    /// The app whose code runs here and now. Code outside of any app is the test's own.
    static var app: AppWatch? { (CurrentKeychain.chosen as? WatchedKeychain)?.watch }

    /// The same within a comparison, which must not wait for a lock.
    static var appThatCompares: AppWatch? { (CurrentKeychain.chosenWithoutWaiting as? WatchedKeychain)?.watch }

    func hear(_ use: ObservedUse) {
        guard let app = Self.app else { return }
        app.calls.crypto.hear(use, app: app.caller.name)
    }
}
