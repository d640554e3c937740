import LatchkeyDevice
import LatchkeyKeychainMessages

/// An app on a virtual device. Keychain calls inside ``run(_:)-(()->Result)`` are made by it.
public struct VirtualApp: Sendable, CustomStringConvertible {
    public let bundleIdentifier: String
    /// The groups whose items the app sees. New items go into the first unless they name another.
    public let accessGroups: [String]
    /// Keeps the device alive as long as its apps are used.
    public let device: VirtualDevice
    let keychain: any Keychain

    init(_ bundleIdentifier: String, _ entitlements: Entitlements, on device: VirtualDevice) {
        self.bundleIdentifier = bundleIdentifier
        self.accessGroups = entitlements.accessGroups
        self.device = device
        let caller = Caller(
            name: entitlements.applicationIdentifier ?? bundleIdentifier, accessGroups: entitlements.accessGroups,
            isDenied: entitlements.isDeniedKeychain, isAppClip: entitlements.isAppClip,
            sharesNetworkExtensions: entitlements.sharesNetworkExtensions)
        self.keychain = WatchedKeychain(
            watch: AppWatch(
                stage: device.stage, calls: device.calls, person: device.person, files: device.fileReview,
                caller: caller))
    }

    /// Runs code as this app: every `SecItem` call that it makes goes to the app's device, also from child tasks.
    ///
    /// Code that hops to a dispatch queue or a thread leaves the app; see ``makeCurrent()``.
    @discardableResult
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentKeychain.$scoped.withValue(keychain, operation: body)
    }

    /// Runs asynchronous code as this app.
    @discardableResult
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await CurrentKeychain.$scoped.withValue(keychain, operation: body, isolation: isolation)
    }

    /// Makes the app the caller of all code of the process that runs in no app of its own, whichever thread or queue it
    /// is on. There is one such app in a process: tests that need it cannot run beside each other.
    /// ``VirtualDevice/resignCurrent()`` ends it.
    public func makeCurrent() {
        CurrentApp.begin(keychain, of: device)
    }

    public var description: String { "\(bundleIdentifier) on \(device)" }
}
