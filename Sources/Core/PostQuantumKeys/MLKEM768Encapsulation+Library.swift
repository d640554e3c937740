#if PostQuantum
import Crypto
import FoundationEssentials
import LatchkeySecretMemory

extension MLKEM768Encapsulation {
    @inline(never)
    static func encapsulated(for publicKey: [UInt8]) -> Encapsulated? {
        guard let key = try? MLKEM768.PublicKey(rawRepresentation: publicKey), let result = try? key.encapsulate()
        else { return nil }
        let secret = unsafe result.sharedSecret.withUnsafeBytes { unsafe SecretBox(copying: $0) }
        return Encapsulated(secret: secret, ciphertext: Array(result.encapsulated))
    }
}
#endif
