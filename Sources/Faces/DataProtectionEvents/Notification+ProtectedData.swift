public import Foundation

/// The names under which UIKit posts, in its older spelling. The raw values are UIKit's.
extension Notification.Name {
    /// The same as ``ProtectedDataCenter/protectedDataDidBecomeAvailableNotification``.
    public static let UIApplicationProtectedDataDidBecomeAvailable =
        Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    /// The same as ``ProtectedDataCenter/protectedDataWillBecomeUnavailableNotification``.
    public static let UIApplicationProtectedDataWillBecomeUnavailable =
        Notification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
}
