package import LatchkeyKeychainMessages

/// The object that a program gives under `kSecUseAuthenticationContext`. LocalAuthentication has the one class for it.
package protocol AuthenticationContextObject: AnyObject {
    /// Keeps what the person proves to the object.
    var authenticationSession: any AuthenticationSession { get }
    /// How the object wants a person to be asked, at this moment.
    var interaction: Interaction { get }
}
