import Foundation
import Security

@c(SecRandomCopyBytes)
public func secRandomCopyBytes(_ source: OpaquePointer?, _ count: Int, _ bytes: UnsafeMutableRawPointer?) -> Int32 {
    guard let bytes = unsafe bytes else { return count == 0 ? errSecSuccess : errSecParam }
    return unsafe SecRandomCopyBytes(source, count, bytes)
}

@c(SecCopyErrorMessageString)
public func secCopyErrorMessageString(_ status: Int32, _ reserved: UnsafeMutableRawPointer?) -> UnsafeRawPointer? {
    unsafe object { SecCopyErrorMessageString(status, nil) }
}
