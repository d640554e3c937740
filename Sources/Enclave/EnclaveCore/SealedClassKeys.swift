package import LatchkeyAccessControl
package import LatchkeyCryptoSuite
package import LatchkeyKeybag
import LatchkeySecretMemory

/// The class keys of a locked device, wrapped under a random key that is released by a match of a finger. No class key
/// is in clear memory.
package struct SealedClassKeys: Sendable {
    /// The enrolment set whose matches are accepted.
    package let enrolmentSet: EnrolmentSet

    private let key: SecretBox
    private let wrapped: [KeyClass: [UInt8]]

    package init(_ keys: ClassKeys, for enrolmentSet: EnrolmentSet, entropy: any Entropy) {
        self.enrolmentSet = enrolmentSet
        let sealingKey = unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
        key = sealingKey
        wrapped = keys.classes.reduce(into: [:]) { wrapped, keyClass in
            wrapped[keyClass] = keys[keyClass].map { AESKeyWrap.wrap($0, with: sealingKey) }
        }
    }

    /// Unwraps the class keys.
    package func opened() -> ClassKeys {
        var keys = ClassKeys()
        for (keyClass, bytes) in wrapped { keys[keyClass] = try? AESKeyWrap.unwrap(bytes, with: key) }
        return keys
    }
}
