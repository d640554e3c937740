import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A key as the keychain answers it: its attributes, and itself.
struct StoredKey {
    enum Material {
        case privateKey(PrivateKey)
        case publicKey(PublicKey)
        case enclave(EnclaveKey)
    }

    let attributes: [String: PropertyValue]
    let material: Material

    /// The application label, the same for both halves.
    var identifier: [UInt8] {
        if case .data(let bytes)? = attributes[.applicationLabel] { bytes } else { [] }
    }

    func publicKey() throws(CommandFailure) -> PublicKey {
        switch material {
        case .privateKey(let key): key.publicKey
        case .publicKey(let key): key
        case .enclave(let key): try key.publicKey()
        }
    }

    func type() throws(CommandFailure) -> KeyType {
        if case .enclave = material { .ellipticCurve } else { try publicKey().kind.type }
    }

    /// The key of an answer's `v_Ref`.
    init(
        _ attributes: [String: PropertyValue], secrets: [SecretBox], device: DeviceAccess, interaction: Interaction?
    ) throws(CommandFailure) {
        guard let reference = attributes["v_Ref"], let object = ItemObject(reference) else {
            throw CommandFailure(.failure, "The keychain returned an item that is not a key.")
        }
        self.attributes = attributes
        material = try Self.material(object, secrets: secrets, device: device, interaction: interaction)
    }

    static func material(
        _ object: ItemObject, secrets: [SecretBox], device: DeviceAccess, interaction: Interaction?
    ) throws(CommandFailure) -> Material {
        switch object {
        case .enclaveKey(let blob):
            return .enclave(EnclaveKey(device: device, blob: blob, interaction: interaction))
        case .key(let keyClass, let number, let index):
            guard let type = KeyType(rawValue: number), secrets.indices.contains(index) else {
                throw CommandFailure(
                    .keyUnsuitable, "The item holds a key of a kind that this tool does not know.",
                    why: "RSA keys and keys of the curves of NIST are known.")
            }
            do throws(KeyFailure) {
                if keyClass == KeyAttributes.publicClass {
                    let bytes = unsafe secrets[index].withBytes { unsafe Array($0) }
                    return .publicKey(try PublicKey(externalRepresentation: bytes, type: type))
                }
                return .privateKey(try PrivateKey(externalRepresentation: secrets[index], type: type))
            } catch {
                throw CommandFailure(error, in: "The item")
            }
        case .certificate, .identity:
            throw CommandFailure(.failure, "The keychain returned an item that is not a key.")
        }
    }
}
