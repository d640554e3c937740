import LatchkeyItemModel
import Synchronization

extension VirtualDevice {
    /// The team of apps that name none.
    public static let defaultTeam = "LATCHKEY00"

    /// Installs an app.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: for instance `com.example.mail`; with the team it is the application identifier, a group
    ///     that only this app has.
    ///   - team: ten characters.
    ///   - keychainAccessGroups: complete and in the order of the entitlements. The first is where new items go; without
    ///     any it is the application identifier.
    ///   - applicationGroups: application groups, which come last.
    @discardableResult
    public func install(
        _ bundleIdentifier: String, team: String = defaultTeam, keychainAccessGroups: [String] = [],
        applicationGroups: [String] = []
    ) -> VirtualApp {
        install(
            bundleIdentifier,
            entitlements: Entitlements(
                keychainAccessGroups: keychainAccessGroups, applicationIdentifier: "\(team).\(bundleIdentifier)",
                applicationGroups: applicationGroups))
    }

    /// Installs an app that has exactly these entitlements.
    @discardableResult
    public func install(_ bundleIdentifier: String, entitlements: Entitlements) -> VirtualApp {
        let app = VirtualApp(bundleIdentifier, entitlements, on: self)
        installed.withLock { $0[bundleIdentifier] = app.accessGroups }
        return app
    }

    /// The app of tests that are about one app only.
    public var defaultApp: VirtualApp { install("com.example.app") }

    /// Runs code as the ``defaultApp``.
    @discardableResult
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try defaultApp.run(body)
    }

    /// Runs asynchronous code as the ``defaultApp``.
    @discardableResult
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await defaultApp.run(isolation: isolation, body)
    }

    /// Makes the ``defaultApp`` the caller of all code of the process; see ``VirtualApp/makeCurrent()``.
    public func makeCurrent() {
        defaultApp.makeCurrent()
    }

    /// Ends ``makeCurrent()``, if an app of this device is current.
    public func resignCurrent() {
        CurrentApp.end(of: self)
    }

    /// Removes an app. Its items stay, as on iOS today, and are there again when it is installed anew.
    ///
    /// - Parameter removingItems: what older systems did and what a clean device looks like: every item goes whose group
    ///   no other installed app has.
    public func uninstall(_ app: VirtualApp, removingItems: Bool = false) throws(VirtualDeviceError) {
        let orphans = installed.withLock { installed in
            installed[app.bundleIdentifier] = nil
            let kept = Set(installed.values.joined())
            return app.accessGroups.filter {
                !kept.contains($0) && $0 != AccessGroupList.token && $0 != AccessGroupList.everything
            }
        }
        if removingItems && !orphans.isEmpty { try stage.deleteItems(inAccessGroups: orphans) }
    }
}
