package import LatchkeyKeybag
package import LatchkeyKeychainMessages

/// A keychain that hears how open files of its device are used: that of a test.
package protocol FileUseListener: Sendable {
    /// A handle that was open before was used, and the device does not give out the key of its file any more.
    ///
    /// Called on the thread that uses the handle. It must not use the file.
    func refusedUse(ofOpenFileAt path: String?, _ protection: FileProtection, _ refusal: FileKeyRefusal)
}
