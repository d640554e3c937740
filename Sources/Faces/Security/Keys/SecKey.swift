public import Foundation
package import LatchkeyAsymmetricKeys
import LatchkeyEncoding

/// A cryptographic key: public, private, or private in the enclave. Two are equal if they are the same half of the same
/// key. Immutable, and therefore Sendable.
public final class SecKey: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecKey.self, name: "SecKey")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecKey.registration.infoWord
    package let content: Content

    package enum Content: Sendable {
        case publicKey(PublicKey)
        case privateKey(PrivateKey)
        case enclaveKey(EnclaveKey)
    }

    package init(_ content: Content) {
        self.content = content
        super.init()
    }

    package convenience init(_ key: PublicKey) { self.init(.publicKey(key)) }

    package convenience init(_ key: PrivateKey) { self.init(.privateKey(key)) }

    package convenience init(_ key: EnclaveKey) { self.init(.enclaveKey(key)) }

    /// The public half, or the key itself if it is one.
    package var publicKey: PublicKey {
        switch content {
        case .publicKey(let key): key
        case .privateKey(let key): key.publicKey
        case .enclaveKey(let key): key.publicKey
        }
    }

    package var isPrivate: Bool {
        if case .publicKey = content { false } else { true }
    }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecKey else { return false }
        if other === self { return true }
        return switch (content, other.content) {
        case (.publicKey(let one), .publicKey(let other)): one == other
        case (.privateKey(let one), .privateKey(let other)): one == other
        case (.enclaveKey(let one), .enclaveKey(let other)): one.blob == other.blob
        default: false
        }
    }

    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(isPrivate)
        hasher.combine(publicKey)
        return hasher.finalize()
    }

    /// Kind, size and label; nothing of the numbers of the key.
    override public var description: String {
        let family = publicKey.kind.type == .rsa ? "RSA" : "EC"
        let half = isPrivate ? "PrivateKey" : "PublicKey"
        let place = if case .enclaveKey = content { ", in the enclave" } else { "" }
        return "<SecKeyRef key type: \(family)\(half), \(publicKey.kind.sizeInBits) bits\(place), "
            + "label: \(Hexadecimal.text(publicKey.digest))>"
    }
}
