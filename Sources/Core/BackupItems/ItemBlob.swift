import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// `v_Data` of an item in a backup: the item, sealed under a key of its own, and that key under the key of its class.
///
/// Little-endian: version, class, length of the wrapped key, the wrapped key, then the DER dictionary of the item under
/// AES-256-GCM with an empty nonce.
package struct ItemBlob: Sendable, Hashable {
    /// The form that is written. Older ones hold property lists, or are not authenticated.
    package static let version: UInt32 = 3
    private static let headByteCount = 12
    private static let keyByteCounts = 32...128

    /// 6 to 11: the class of the keybag. Higher bits are a generation of the class key.
    package let classNumber: Int
    package let wrappedKey: [UInt8]
    package let sealed: [UInt8]

    package enum Failure: Error, Sendable, Hashable {
        case damaged
        /// A form that this release does not read.
        case otherVersion(UInt32)
    }

    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.count >= Self.headByteCount else { throw .damaged }
        func number(_ start: Int) -> UInt32 {
            bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard number(0) == Self.version else { throw .otherVersion(number(0)) }
        let count = Int(number(8))
        guard Self.keyByteCounts.contains(count),
            bytes.count >= Self.headByteCount + count + AESGCM.tagByteCount
        else { throw .damaged }
        classNumber = Int(number(4) & 0xF)
        wrappedKey = Array(bytes[Self.headByteCount..<Self.headByteCount + count])
        sealed = Array(bytes[(Self.headByteCount + count)...])
    }

    /// Seals an item. The key must never seal another one.
    package init(classNumber: Int, key: SecretBox, wrappedKey: [UInt8], plaintext: SecretBox) {
        self.classNumber = classNumber
        self.wrappedKey = wrappedKey
        sealed = unsafe plaintext.withBytes { unsafe AESGCM.EmptyNonce.seal($0, key: key) }
    }

    /// The DER dictionary of the item.
    package func opened(with key: SecretBox) throws(Failure) -> SecretBox {
        do throws(CryptoFailure) {
            return try AESGCM.EmptyNonce.open(sealed, key: key)
        } catch {
            throw .damaged
        }
    }

    package var bytes: [UInt8] {
        [Self.version, UInt32(classNumber), UInt32(wrappedKey.count)].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
        } + wrappedKey + sealed
    }
}
