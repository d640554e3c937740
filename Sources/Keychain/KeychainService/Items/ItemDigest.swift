import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The `sha1` of an item: SHA-1 of the DER dictionary of its attributes with the secret as `v_Data`.
///
/// The secret is added to the digest at the position of its element in the sorted set, without a copy.
enum ItemDigest {
    static func digest(of item: StoredItem, secret: SecretBox?) -> [UInt8] {
        var elements = DERWriter.sortedElements(of: item.digestedAttributes)
        var secretElement: (head: [UInt8], position: Int)?
        if let secret {
            let head = elementHead(secretByteCount: secret.count)
            let position = elements.firstIndex { DERWriter.precedes(head, $0) } ?? elements.count
            secretElement = (head, position)
            elements.insert(head, at: position)
        }
        let count = elements.reduce(secret?.count ?? 0) { $0 + $1.count }
        var digest = RunningDigest(.sha1)
        digest.update(DERWriter.header(tag: 0x31, byteCount: count))
        for (index, element) in elements.enumerated() {
            digest.update(element)
            if index == secretElement?.position, let secret { unsafe secret.withBytes { unsafe digest.update($0) } }
        }
        return digest.finish()
    }

    /// Returns the SEQUENCE header, the key `v_Data`, and the OCTET STRING header in front of the secret's bytes.
    private static func elementHead(secretByteCount: Int) -> [UInt8] {
        let key = DERWriter.encode(.string("v_Data"))
        let value = DERWriter.header(tag: 0x04, byteCount: secretByteCount)
        return DERWriter.header(tag: 0x30, byteCount: key.count + value.count + secretByteCount) + key + value
    }
}
