package import LatchkeySecretMemory

/// The keys with which the items of a circle are named and digested, and the groups that the circle shares beyond the
/// usual ones. Lent to the keychain for one key epoch.
package struct SharingKeys: Sendable {
    /// This device in its circle.
    package let device: [UInt8]
    package let name: SecretBox
    /// The digest key of zone A. Nil while the device is locked: digests of such items would reveal which of a few
    /// likely secrets they have.
    package let digestA: SecretBox?
    package let digestC: SecretBox
    /// Groups of unsigned programs that the circle shares.
    package let allowedGroups: Set<String>

    package init(
        device: [UInt8], name: SecretBox, digestA: SecretBox?, digestC: SecretBox, allowedGroups: Set<String> = []
    ) {
        self.device = device
        self.name = name
        self.digestA = digestA
        self.digestC = digestC
        self.allowedGroups = allowedGroups
    }
}
