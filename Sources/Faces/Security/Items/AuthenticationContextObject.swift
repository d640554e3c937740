package import LatchkeyKeychainMessages

/// The object that a program passes under `kSecUseAuthenticationContext`. LocalAuthentication has the only class of it.
package protocol AuthenticationContextObject: AnyObject {
    /// Keeps the user's proofs to the object.
    var authenticationSession: any AuthenticationSession { get }
    /// The object's present prompt: allowed or not, and its texts.
    var interaction: Interaction { get }
}
