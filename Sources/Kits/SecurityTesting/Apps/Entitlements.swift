import LatchkeyItemModel

/// The entitlements of an app, as far as the keychain asks. The names are those of Apple's entitlement keys.
public struct Entitlements: Sendable, Hashable {
    /// `keychain-access-groups`
    public var keychainAccessGroups: [String]
    /// `com.apple.developer.associated-application-identifier`
    public var associatedApplicationIdentifiers: [String]
    /// `application-identifier`: team and bundle identifier
    public var applicationIdentifier: String?
    /// `com.apple.security.application-groups`
    public var applicationGroups: [String]
    /// `com.apple.private.keychain.deny`: the keychain answers -25291.
    public var isDeniedKeychain: Bool
    /// `com.apple.developer.on-demand-install-capable`: an app clip, which has its application identifier's group only
    /// (-34020 otherwise, and for items that synchronize).
    public var isAppClip: Bool
    /// `com.apple.networkextension.keychain`: reaches the groups that end in `com.apple.networkextensionsharing`. Only
    /// Apple gives it; no signed program has it here.
    public var sharesNetworkExtensions: Bool

    /// Without arguments, the entitlements of a program that was not signed: every call is refused with -34018.
    public init(
        keychainAccessGroups: [String] = [], associatedApplicationIdentifiers: [String] = [],
        applicationIdentifier: String? = nil, applicationGroups: [String] = [], isDeniedKeychain: Bool = false,
        isAppClip: Bool = false, sharesNetworkExtensions: Bool = false
    ) {
        self.keychainAccessGroups = keychainAccessGroups
        self.associatedApplicationIdentifiers = associatedApplicationIdentifiers
        self.applicationIdentifier = applicationIdentifier
        self.applicationGroups = applicationGroups
        self.isDeniedKeychain = isDeniedKeychain
        self.isAppClip = isAppClip
        self.sharesNetworkExtensions = sharesNetworkExtensions
    }

    /// All groups, the default one first.
    var accessGroups: [String] {
        AccessGroupList.of(
            keychainGroups: keychainAccessGroups + associatedApplicationIdentifiers,
            applicationIdentifier: applicationIdentifier, applicationGroups: isAppClip ? [] : applicationGroups)
    }
}
