import Foundation
import LatchkeyCodeSignature
package import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The entitlements that the environment declares for a program on a device in its own process.
///
/// They count where `LATCHKEY_DEVICE` names a directory: such a device is in the memory of this program, which may
/// change all of it. A daemon goes by the signature of a program alone.
package enum DeclaredEntitlements {
    /// The variable with the path of a file: a dictionary of entitlements as a DER property list.
    package static let variable = "LATCHKEY_ENTITLEMENTS"
    package static let byteLimit = 256 << 10

    /// The caller with the declared entitlements; nil if none are declared.
    ///
    /// - Parameter name: of a caller without an application identifier.
    package static func caller(
        environment: [String: String], name: String
    ) throws(DeviceFailure) -> Caller? {
        guard let path = environment[variable], !path.isEmpty, environment["LATCHKEY_DEVICE"]?.hasPrefix("dir:") == true
        else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= byteLimit else {
            throw failure(path, "it cannot be read, or is longer than \(byteLimit) bytes")
        }
        let entitlements: ProgramEntitlements
        do {
            guard case .dictionary(let dictionary) = try DERReader.decode([UInt8](bytes)) else {
                throw failure(path, "its content is not a dictionary")
            }
            entitlements = try ProgramEntitlements(dictionary)
        } catch let error as ProgramEntitlements.Failure {
            throw failure(path, error.description)
        } catch {
            throw failure(path, "it is not a property list in DER")
        }
        return Caller(
            name: entitlements.applicationIdentifier ?? name, accessGroups: entitlements.accessGroups,
            isDenied: entitlements.isDenied, isAppClip: entitlements.isAppClip,
            mayGivePasscode: entitlements.givesPasscode, application: entitlements.applicationIdentifier)
    }

    private static func failure(_ path: String, _ why: String) -> DeviceFailure {
        DeviceFailure(
            .badLocation,
            "The entitlements of \(path), which \(variable) names, cannot be used: \(why). Unset the variable, or start "
                + "the program with `latchkey swift`.")
    }
}
