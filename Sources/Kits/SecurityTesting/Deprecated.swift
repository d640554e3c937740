// The names of the version before; they go with the next one (Docs/Design/017-public-names.md).

import LocalAuthentication

@available(*, deprecated, renamed: "VirtualApp")
public typealias App = VirtualApp

@available(*, deprecated, renamed: "VirtualDevice.Backend")
public typealias Backend = VirtualDevice.Backend

extension VirtualDevice {
    @available(*, deprecated, renamed: "install(_:team:keychainAccessGroups:applicationGroups:)")
    public func app(
        _ bundleIdentifier: String, team: String = defaultTeam, groups: [String] = [],
        applicationGroups: [String] = []
    ) -> VirtualApp {
        install(bundleIdentifier, team: team, keychainAccessGroups: groups, applicationGroups: applicationGroups)
    }

    @available(*, deprecated, renamed: "install(_:entitlements:)")
    public func app(_ bundleIdentifier: String, entitlements: Entitlements) -> VirtualApp {
        install(bundleIdentifier, entitlements: entitlements)
    }

    @available(*, deprecated, message: "Use failNextEvaluation(of:with:times:), which takes an LAError.Code.")
    public func failNextEvaluation(with code: Int, times: Int = 1) {
        failNextEvaluation(with: .known(code), times: times)
    }

    @available(*, deprecated, renamed: "setAutoLock(after:)")
    public func setLocksAfter(_ time: Duration?) throws(VirtualDeviceError) {
        try setAutoLock(after: time)
    }
}

extension VirtualDevice.Status {
    @available(*, deprecated, message: "Use timeUntilNextAttempt, which is a Duration.")
    public var secondsUntilNextAttempt: Double { timeUntilNextAttempt / .seconds(1) }
}

extension Dictionary where Key == VirtualDevice.ItemClass, Value == Int {
    /// The count of a class by its four letters, such as `genp`; nil for letters that name no class.
    @available(*, deprecated, message: "Use a VirtualDevice.ItemClass as key.")
    public subscript(code: String) -> Int? {
        keys.first { $0.code == code }.flatMap { self[$0] }
    }
}

extension ScriptedAnswer {
    @available(*, deprecated, message: "Use fail(_:) with an LAError.Code.")
    public static func fail(_ code: Int) -> ScriptedAnswer { .fail(.known(code)) }
}

extension LAError.Code {
    /// A code by number. A number that Apple does not use fails an authentication.
    fileprivate static func known(_ number: Int) -> LAError.Code {
        LAError.Code(rawValue: number) ?? .authenticationFailed
    }
}

extension Finding {
    @available(*, deprecated, renamed: "applicationIdentifier")
    public var app: String { applicationIdentifier }
}

extension Finding.Kind {
    @available(*, deprecated, renamed: "textHMACKey")
    public static var textHmacKey: Finding.Kind { .textHMACKey }
}

extension Finding.Call {
    @available(*, deprecated, renamed: "messageAuthentication")
    public static var code: Finding.Call { .messageAuthentication }
}
