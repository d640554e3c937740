import Foundation
package import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeySecretMemory
import LatchkeyThreading

/// The keychain that this code's calls go to (Docs/Design/000): the one that the surrounding task has made current, the
/// one made current for the process, else the one that the environment names.
package enum CurrentKeychain {
    /// Made current for the surrounding task: tests that run in parallel each have their own.
    @TaskLocal package static var scoped: (any Keychain)?

    private static let processWide = ForkMutex<(any Keychain)?>(nil)
    /// A child of `fork` has the keychain that its parent found: an embedded one is opened anew there by itself.
    private static let found = ForkMutex<(any Keychain)?>(nil)
    /// Held while a keychain is being found, which may take long: a child must not wait for its parent.
    private static let finding = ProcessMutex(())

    /// Makes a keychain current for all code of the process that has none of its own; nil takes it back.
    package static func makeCurrent(_ keychain: (any Keychain)?) {
        // Released only after the lock: what its end calls may ask for the current one.
        let before = processWide.withLock { current in
            defer { current = keychain }
            return current
        }
        withExtendedLifetime(before) {}
    }

    /// The one that was made current for a call made here and now; nil if there is none.
    package static var chosen: (any Keychain)? { scoped ?? processWide.withLock { $0 } }

    /// The same for code that must not wait, as within a comparison of bytes; nil also while another thread looks.
    package static var chosenWithoutWaiting: (any Keychain)? {
        scoped ?? processWide.withLockIfAvailable { $0 } ?? nil
    }

    /// The keychain for a call made here and now.
    package static func keychain() throws(DeviceFailure) -> any Keychain {
        if let scoped { return scoped }
        if let current = processWide.withLock({ $0 }) { return current }
        if let found = found.withLock({ $0 }) { return found }
        return try finding.withLock { _ throws(DeviceFailure) in
            if let found = found.withLock({ $0 }) { return found }
            let choice = PromptChoice(environment: ProcessInfo.processInfo.environment)
            let keychain = try DeviceLocation.ofThisProcess().keychain(
                prompt: choice.isAny ? SystemPrompt(choice) : nil)
            found.withLock { $0 = keychain }
            return keychain
        }
    }
}
