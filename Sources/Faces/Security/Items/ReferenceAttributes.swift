import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The attributes of the item that an object under `kSecValueRef` stands for (Reference 6.9).
struct ReferenceAttributes {
    /// For the class of items that the object is of. `v_Data` is a secret of the message.
    private(set) var values: [String: PropertyValue]
    /// The class, for callers that name none.
    let itemClass: String

    /// Nil for an object that is not a reference to an item.
    init?(of object: AnyObject, as role: QueryTranslation.Role, secrets: inout [SecretBox]) {
        switch object {
        case let key as SecKey:
            itemClass = ItemClass.key.rawValue
            values = (role == .search ? key.searchAttributes : key.itemAttributes).byColumn
            if role != .search, let data = key.itemData { values["v_Data"] = Self.secret(data, in: &secrets) }
        case let certificate as SecCertificate:
            itemClass = ItemClass.certificate.rawValue
            let certificate = certificate.certificate
            values =
                (role == .search
                ? CertificateAttributes.ofSearch(certificate) : CertificateAttributes.ofNewItem(certificate)).byColumn
            if role != .search {
                values["v_Data"] = Self.secret(SecretBox(copying: certificate.der), in: &secrets)
            }
        // Nothing can become an identity by an update.
        case let identity as SecIdentity where role != .changes:
            itemClass = ItemClass.identity.rawValue
            values =
                role == .search
                ? identity.searchAttributes.byColumn : ["v_Ref": identity.reference(secrets: &secrets).value]
        default:
            return nil
        }
    }

    fileprivate static func secret(_ data: SecretBox, in secrets: inout [SecretBox]) -> PropertyValue {
        secrets.append(data)
        return .secret(secrets.count - 1)
    }
}

extension SecKey {
    /// The attributes of a new item of the key, without its data; for an enclave key those that name it.
    var itemAttributes: [AttributeName: PropertyValue] {
        switch content {
        case .publicKey(let key):
            return KeyAttributes.ofNewItem(key)
        case .privateKey(let key):
            return KeyAttributes.ofNewItem(key)
        case .enclaveKey(let key):
            var attributes = KeyAttributes.ofNewEnclaveItem(label: key.publicKey.digest)
            attributes[.tokenOID] = .data(key.blob)
            return attributes
        }
    }

    fileprivate var itemData: SecretBox? {
        switch content {
        case .publicKey(let key): SecretBox(copying: key.externalRepresentation)
        case .privateKey(let key): key.externalRepresentation
        case .enclaveKey: nil
        }
    }

    fileprivate var searchAttributes: [AttributeName: PropertyValue] {
        var attributes = KeyAttributes.ofSearch(
            publicKey, keyClass: isPrivate ? KeyAttributes.privateClass : KeyAttributes.publicClass)
        if case .enclaveKey = content { attributes[.tokenID] = .string(KeyAttributes.enclaveToken) }
        return attributes
    }
}

extension SecIdentity {
    /// Issuer and serial number find the certificate, the label the key.
    fileprivate var searchAttributes: [AttributeName: PropertyValue] {
        let ofCertificate = CertificateAttributes.ofSearch(certificate.certificate)
        var attributes = ofCertificate.filter { $0.key == .issuer || $0.key == .serialNumber }
        attributes[.applicationLabel] = .data(key.publicKey.digest)
        return attributes
    }

    fileprivate func reference(secrets: inout [SecretBox]) -> IdentityReference {
        let certificate = certificate.certificate
        var certificateValues = CertificateAttributes.ofNewItem(certificate).byColumn
        certificateValues["v_Data"] = .data(certificate.der)
        var keyValues = key.itemAttributes.byColumn
        if let data = key.itemData { keyValues["v_Data"] = ReferenceAttributes.secret(data, in: &secrets) }
        return IdentityReference(certificate: certificateValues, key: keyValues)
    }
}
