/// A key, certificate or identity in the answer to a call (`kSecReturnRef`): what the face makes an object from.
///
/// On the wire a `.reference` whose bytes are a DER list; secrets are named by their index in the message.
package enum ItemObject: Sendable, Hashable {
    /// `keyClass` and `type` by the numbers of `kSecAttrKeyClass` and `kSecAttrKeyType`.
    case key(keyClass: Int64, type: Int64, dataSecret: Int)
    /// A key of the enclave. `blob` is its `kSecAttrTokenOID`.
    case enclaveKey(blob: [UInt8])
    case certificate(dataSecret: Int)
    indirect case identity(key: ItemObject, certificateSecret: Int)
}
