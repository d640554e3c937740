import Foundation
import LatchkeyFileAccess
import LatchkeyKeychainMessages

extension Data {
    /// Foundation's `write(to:options:)`.
    @_silgen_name("lk_data_write")
    func writeAsFoundation(to url: URL, options: Data.WritingOptions) throws

    /// Stands in for `write(to:options:)` in the program of a test; see `CFoundationWatch`. Both are called in the same way.
    @_silgen_name("lk_heard_data_write")
    func heardWrite(to url: URL, options: Data.WritingOptions) throws {
        try writeAsFoundation(to: url, options: options)
        // Code outside of any app is the test's own.
        guard !options.intersection(.fileProtectionMask).isEmpty, let app = CryptoEar.app else { return }
        let path = (try? FilePath.real(url.path)) ?? url.path
        guard let flaw = Review.ignoredClass(options, ofFileAt: path) else { return }
        app.calls.noteOnce(
            Observation(flaw: flaw, app: app.caller.name, path: app.files.name(ofFileAt: path), place: .here()))
    }
}
