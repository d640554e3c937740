import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The `sha1` of an item: SHA-1 of the DER dictionary of its attributes with the secret as `v_Data`.
///
/// The digest of an item with conditions is stored nowhere: its attributes open without them, and an attacker who opens
/// those could test guesses of the secret. It is made again from the secret, for a call that has opened it.
///
/// The secret is added to the digest at the position of its element in the sorted set, without a copy.
enum ItemDigest {
    static func digest(of item: StoredItem, secret: SecretBox?) -> [UInt8] {
        running(.sha1, over: DERWriter.sortedElements(of: item.digestedAttributes), secret).finish()
    }

    /// Returns a digest that has read the DER dictionary of `elements` with the secret as `v_Data`.
    static func running(
        _ algorithm: DigestAlgorithm, over sortedElements: [[UInt8]], _ secret: SecretBox?
    ) -> RunningDigest {
        var elements = sortedElements
        var secretElement: (head: [UInt8], position: Int)?
        if let secret {
            let head = elementHead(secretByteCount: secret.count)
            let position = elements.firstIndex { DERWriter.precedes(head, $0) } ?? elements.count
            secretElement = (head, position)
            elements.insert(head, at: position)
        }
        let count = elements.reduce(secret?.count ?? 0) { $0 + $1.count }
        var digest = RunningDigest(algorithm)
        digest.update(DERWriter.header(tag: 0x31, byteCount: count))
        for (index, element) in elements.enumerated() {
            digest.update(element)
            if index == secretElement?.position, let secret { unsafe secret.withBytes { unsafe digest.update($0) } }
        }
        return digest
    }

    /// Returns the SEQUENCE header, the key `v_Data`, and the OCTET STRING header in front of the secret's bytes.
    private static func elementHead(secretByteCount: Int) -> [UInt8] {
        let key = DERWriter.encode(.string("v_Data"))
        let value = DERWriter.header(tag: 0x04, byteCount: secretByteCount)
        return DERWriter.header(tag: 0x30, byteCount: key.count + value.count + secretByteCount) + key + value
    }
}

extension StoredItem {
    /// Sets the digest among the attributes that are stored; an item with conditions has none there.
    mutating func setStoredDigest(secret: SecretBox?) {
        attributes[.digest] = accessControl.isConstrained ? nil : .data(ItemDigest.digest(of: self, secret: secret))
    }
}
