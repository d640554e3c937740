import Foundation
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The parameters of a key that the enclave makes.
struct EnclaveKeyParameters {
    let accessControl: AccessControl
    let connection: KeyConnection

    init(_ attributes: KeyDictionary) throws(KeyCallFailure) {
        accessControl = try Self.accessControl(attributes)
        connection = try KeyConnection(attributes)
    }

    func key() throws(KeyCallFailure) -> EnclaveKey {
        let created: CreatedEnclaveKey
        do throws(EnclaveKeyRefusal) {
            created = try connection.ask { CreateEnclaveKey(under: accessControl, $0) }
        } catch {
            throw KeyCallFailure(error)
        }
        return EnclaveKey(
            blob: created.blob, publicKey: try .init(ofEnclave: created.publicKey), accessControl: accessControl,
            connection: connection)
    }

    /// The one that is given; else one without conditions, of the protection class that is given.
    private static func accessControl(_ attributes: KeyDictionary) throws(KeyCallFailure) -> AccessControl {
        let name =
            attributes[.accessible].map { ($0 as? NSString)?.wellFormed } ?? ProtectionClass.whenUnlocked.rawValue
        guard let object = attributes[.accessControl] else {
            do throws(CreationRefusal) {
                return try AccessControl(protection: name, flags: .privateKeyUsage)
            } catch {
                throw KeyCallFailure(errSecParam, error.description)
            }
        }
        guard let rules = (object as? SecAccessControl)?.rules else {
            throw KeyCallFailure(errSecParam, "kSecAttrAccessControl is no SecAccessControl.")
        }
        guard attributes[.accessible] == nil || name == rules.protection.rawValue else {
            throw KeyCallFailure(
                errSecParam, "kSecAttrAccessible is not the protection class of the kSecAttrAccessControl beside it.")
        }
        return rules
    }
}

extension KeyConnection {
    /// By what a dictionary about keys says.
    init(_ attributes: KeyDictionary) throws(KeyCallFailure) {
        var translation = QueryTranslation()
        let query = translation.pairs(of: attributes.without(["v_Ref"]).object)
        self.init(try Self.destination(attributes["u_AuthCtx"]), query: query)
    }

    /// Of a key that is used with a context, or with none.
    package init(context: (any AuthenticationContextObject)?) throws(KeyCallFailure) {
        self.init(try Self.destination(context))
    }

    /// Over the context, if one is given, else the keychain that is current here.
    private static func destination(_ context: AnyObject?) throws(KeyCallFailure) -> Destination {
        guard let context else {
            do throws(DeviceFailure) {
                return .keychain(try CurrentKeychain.keychain())
            } catch {
                throw KeyCallFailure(error)
            }
        }
        guard let context = context as? any AuthenticationContextObject else {
            throw KeyCallFailure(errSecAuthFailed, "kSecUseAuthenticationContext is not an LAContext.")
        }
        return .context(context)
    }
}
