// A login without a password: the server keeps a public key and sends a challenge, the phone signs it after a finger. The
// private key never leaves the enclave; what the server learns it may lose without harm. The server here is `openssl`.

import Foundation
import LocalAuthentication
import Security
import SecurityTesting

/// The app's code, as it would be on a phone.
struct LoginKey {
    private let tag = Data("com.example.bank.login".utf8)

    /// Makes the key and gives the public half for the server.
    func enrol() throws -> String {
        // Any finger that is enrolled then, for each use: `biometryCurrentSet` would end the key when a finger is added.
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryAny], nil)
        else { throw LoginFailure.noKey("no access control") }
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrAccessControl: control,
            ] as [CFString: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error),
            let publicKey = SecKeyCopyPublicKey(key),
            let point = SecKeyCopyExternalRepresentation(publicKey, &error) as Data?
        else { throw LoginFailure.noKey("\(error.map { "\($0.takeRetainedValue())" } ?? "no reason")") }
        return pem(ofP256: point)
    }

    /// Signs what the server wants signed. A person is asked.
    func answer(_ challenge: Data, reason: String) throws -> Data {
        let context = LAContext()
        context.localizedReason = reason
        var found: CFTypeRef?
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: tag, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            kSecReturnRef: true, kSecUseAuthenticationContext: context,
        ]
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let found else { throw LoginFailure.noKey("\(status)") }
        var error: Unmanaged<CFError>?
        guard
            let signature = SecKeyCreateSignature(
                found as! SecKey, .ecdsaSignatureMessageX962SHA256, challenge as CFData, &error) as Data?
        else { throw LoginFailure.notSigned(OSStatus(error.map { CFErrorGetCode($0.takeRetainedValue()) } ?? 0)) }
        return signature
    }

    /// X.509's form of a P-256 key: what stands in front of the point is the same for all of them.
    private func pem(ofP256 point: Data) -> String {
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
            0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let text = (Data(header) + point).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }
}

enum LoginFailure: Error {
    case noKey(String)
    case notSigned(OSStatus)
}

/// The server: one public key for each account, and challenges that count once.
struct Server {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("login-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func register(_ pem: String) throws {
        try Data(pem.utf8).write(to: file("key.pem"))
    }

    /// Fresh and unpredictable: a signature that was seen before is of no use for the next one.
    func newChallenge() -> Data {
        var bytes = [UInt8](repeating: 0, count: 32)
        precondition(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess)
        return Data(bytes)
    }

    func accepts(_ signature: Data, for challenge: Data) throws -> Bool {
        try signature.write(to: file("signature"))
        try challenge.write(to: file("challenge"))
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "dgst", "-sha256", "-verify", file("key.pem").path, "-signature", file("signature").path,
            file("challenge").path,
        ]
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return openssl.terminationStatus == 0
    }

    func close() {
        try? FileManager.default.removeItem(at: directory)
    }

    private func file(_ name: String) -> URL { directory.appendingPathComponent(name) }
}

/// Ends the program if something is not as it should be.
func check(_ story: String, _ isRight: Bool) {
    print("\(story): \(isRight ? "yes" : "NO")")
    if !isRight { exit(1) }
}

// The phone and its owner.
let device = try VirtualDevice()
try device.setPasscode("1234")
try device.enroll(.rightIndex)
let bank = device.install("com.example.bank", team: "A1B2C3D4E5")
let server = try Server()
defer { server.close() }

try server.register(try bank.run { try LoginKey().enrol() })
print("the server keeps a public key, the phone the private one")
let challenge = server.newChallenge()
device.script([.match(.rightIndex)])
let signature = try bank.run { try LoginKey().answer(challenge, reason: "Log in to the bank") }
check("the server accepts the signature", try server.accepts(signature, for: challenge))
check("the same signature for another challenge is refused", try !server.accepts(signature, for: server.newChallenge()))

device.script([.cancel])
do {
    _ = try bank.run { try LoginKey().answer(server.newChallenge(), reason: "Log in to the bank") }
    check("a person who cancels signs nothing", false)
} catch LoginFailure.notSigned(let status) {
    check("a person who cancels signs nothing (\(status))", status == errSecUserCanceled)
}

try device.lock()
do {
    _ = try bank.run { try LoginKey().answer(server.newChallenge(), reason: "Log in to the bank") }
    check("a locked phone signs nothing", false)
} catch LoginFailure.notSigned(let status) {
    check("a locked phone signs nothing (\(status))", status == errSecInteractionNotAllowed)
}
for finding in device.findings {
    print(finding)
    exit(1)
}
device.close()
