/// The methods of a `UIApplicationDelegate` that are about protected data, with the center in place of the application.
///
/// Both may be left out, as on iOS.
@MainActor
public protocol ProtectedDataDelegate: AnyObject {
    /// The device locks. Save and close what needs its keys: they go at the end of the grace period.
    func applicationProtectedDataWillBecomeUnavailable(_ application: ProtectedDataCenter)
    /// The device was unlocked.
    func applicationProtectedDataDidBecomeAvailable(_ application: ProtectedDataCenter)
}

extension ProtectedDataDelegate {
    public func applicationProtectedDataWillBecomeUnavailable(_ application: ProtectedDataCenter) {}
    public func applicationProtectedDataDidBecomeAvailable(_ application: ProtectedDataCenter) {}
}
