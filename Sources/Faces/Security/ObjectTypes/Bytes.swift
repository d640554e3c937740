import Foundation
import LatchkeySecretMemory

extension NSData {
    /// A copy as the core takes bytes.
    var byteArray: [UInt8] {
        unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
    }

    /// A copy that is wiped when it is no longer needed.
    var secretBox: SecretBox {
        unsafe SecretBox(copying: UnsafeRawBufferPointer(start: bytes, count: length))
    }

    static func copying(_ bytes: UnsafeRawBufferPointer) -> NSData {
        guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else { return NSData() }
        return unsafe NSData(bytes: start, length: bytes.count)
    }

    static func copying(_ bytes: [UInt8]) -> NSData {
        unsafe bytes.withUnsafeBytes { unsafe copying($0) }
    }

    /// The last step of a secret in this module: from here on it is in the program's hands.
    static func copying(_ secret: SecretBox) -> NSData {
        unsafe secret.withBytes { unsafe copying($0) }
    }
}
