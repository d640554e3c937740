/// The protection class of a file: the lock states in which it can be opened. The raw value is Apple's name
/// (`FileProtectionType`).
package enum FileProtection: String, Sendable, Hashable, CaseIterable {
    /// Can be opened only while the device is unlocked.
    case complete = "NSFileProtectionComplete"
    /// Can be created at any time, and opened only while the device is unlocked. A file that is open stays usable.
    case completeUnlessOpen = "NSFileProtectionCompleteUnlessOpen"
    /// Can be opened from the first unlock after a start on. The class of files for which a program names none.
    case completeUntilFirstUserAuthentication = "NSFileProtectionCompleteUntilFirstUserAuthentication"
    /// Can be opened at any time.
    case none = "NSFileProtectionNone"

    package var keyClass: KeyClass {
        switch self {
        case .complete: .fileComplete
        case .completeUnlessOpen: .fileCompleteUnlessOpen
        case .completeUntilFirstUserAuthentication: .fileUntilFirstUserAuthentication
        case .none: .fileNone
        }
    }
}
