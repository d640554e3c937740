import CommonCrypto
import CryptoKit
import Foundation
import LocalAuthentication
import Security

/// Apple's modules by their names.
public enum Digest {
    public static func commonCrypto(_ data: Data) -> Data {
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        data.withUnsafeBytes { _ = CC_SHA256($0.baseAddress, CC_LONG($0.count), &digest) }
        return Data(digest)
    }

    public static func cryptoKit(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }

    public static func canAskForAFinger() -> Bool {
        LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
    }

    public static func random(_ count: Int) -> OSStatus {
        var bytes = [UInt8](repeating: 0, count: count)
        return SecRandomCopyBytes(kSecRandomDefault, count, &bytes)
    }
}
