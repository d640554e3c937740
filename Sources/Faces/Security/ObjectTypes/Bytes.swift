import Foundation
import LatchkeySecretMemory

extension NSData {
    /// A copy in the form in which the core takes bytes.
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

    /// Copies a secret out of locked memory. This is its last step in this module: from here on the program owns it.
    static func copying(_ secret: SecretBox) -> NSData {
        unsafe secret.withBytes { unsafe copying($0) }
    }
}
