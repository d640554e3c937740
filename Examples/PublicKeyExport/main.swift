// Public keys on their way to programs that are not Apple's, and back: external representations, X.509's form, PEM.

import Foundation
import Security

/// DER of one value: tag, length, content.
func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var count = content.count
    guard count > 127 else { return [tag, UInt8(count)] + content }
    var length: [UInt8] = []
    while count > 0 {
        length.insert(UInt8(count & 0xff), at: 0)
        count >>= 8
    }
    return [tag, 0x80 | UInt8(length.count)] + length + content
}

/// Returns the subject public key of X.509: an algorithm in front of what `SecKeyCopyExternalRepresentation` gives.
func subjectPublicKeyInfo(_ representation: [UInt8], algorithm: [UInt8]) -> [UInt8] {
    der(0x30, der(0x30, algorithm) + der(0x03, [0] + representation))
}

let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00]
let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
let curves: [Int: [UInt8]] = [
    256: [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
    384: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22],
    521: [0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23],
]

/// Runs openssl on an input; nil if it fails.
func openssl(_ arguments: [String], input: Data) throws -> Data? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    let (standardInput, output) = (Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    standardInput.fileHandleForWriting.write(input)
    standardInput.fileHandleForWriting.closeFile()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? answer : nil
}

for (type, bits) in [
    (kSecAttrKeyTypeRSA, 2048), (kSecAttrKeyTypeECSECPrimeRandom, 256), (kSecAttrKeyTypeECSECPrimeRandom, 384),
    (kSecAttrKeyTypeECSECPrimeRandom, 521),
] {
    var error: Unmanaged<CFError>?
    let attributes: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error),
        let publicKey = SecKeyCopyPublicKey(key),
        let representation = SecKeyCopyExternalRepresentation(publicKey, &error) as Data?
    else { throw error!.takeRetainedValue() }

    // RSA keys come as PKCS#1, the others as a point. Neither says which kind it is: that is the algorithm's part.
    let algorithm = curves[bits].map { ecPublicKey + $0 } ?? rsaEncryption
    let info = subjectPublicKeyInfo(Array(representation), algorithm: algorithm)
    let pem =
        "-----BEGIN PUBLIC KEY-----\n"
        + Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        + "\n-----END PUBLIC KEY-----\n"
    guard let read = try openssl(["pkey", "-pubin", "-pubout", "-outform", "DER"], input: Data(pem.utf8)) else {
        print("openssl does not read:\n\(pem)")
        exit(1)
    }
    print(
        "\(type == kSecAttrKeyTypeRSA ? "RSA" : "P")-\(bits): \(representation.count) bytes, \(info.count) as X.509's form"
    )

    // And back: what follows the algorithm is the external representation again.
    let returned = read.suffix(representation.count)
    let wanted: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPublic]
    guard read == Data(info), let same = SecKeyCreateWithData(returned as CFData, wanted as CFDictionary, &error),
        same == publicKey
    else {
        print("the key did not come back as it was")
        exit(1)
    }

    // The key that travelled verifies the signature of the private half.
    let message = Data("read by openssl and back".utf8) as CFData
    let scheme: SecKeyAlgorithm =
        type == kSecAttrKeyTypeRSA ? .rsaSignatureMessagePSSSHA256 : .ecdsaSignatureMessageX962SHA256
    guard let signature = SecKeyCreateSignature(key, scheme, message, &error),
        SecKeyVerifySignature(same, scheme, message, signature, &error)
    else { throw error!.takeRetainedValue() }
    print("  a signature of its private half verifies with the key that travelled")
}
