import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

extension WatchedKeychain: FileUseListener {
    /// Files share the keychain of the app that opened the first of them: the app that uses one now is the current one.
    func refusedUse(ofOpenFileAt path: String?, _ protection: FileProtection, _ refusal: FileKeyRefusal) {
        guard protection == .complete, refusal.code == .interactionNotAllowed else { return }
        let current = CryptoEar.app.flatMap { $0.calls === watch.calls ? $0 : nil } ?? watch
        watch.calls.noteOnce(
            Observation(
                flaw: Review.usedWhileLocked, app: current.caller.name, path: watch.files.name(ofFileAt: path),
                place: .here()))
    }
}
