import CryptoKit
import Foundation
import LocalAuthentication
import Testing

/// The error of a call, as tests compare it: an authentication error by its code, anything else by domain and code.
enum Refused: Equatable {
    case authentication(LAError.Code)
    case status(OSStatus)
    case other(String)
    case nothing

    init(_ body: () throws -> Void) {
        do {
            try body()
            self = .nothing
        } catch let error as LAError {
            self = .authentication(error.code)
        } catch {
            let error = error as NSError
            self = error.domain == NSOSStatusErrorDomain ? .status(OSStatus(error.code)) : .other("\(error)")
        }
    }
}

/// An access control for private keys.
func accessControl(
    _ protection: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly, _ flags: SecAccessControlCreateFlags = []
) throws -> SecAccessControl {
    try #require(SecAccessControlCreateWithFlags(nil, protection, flags.union(.privateKeyUsage), nil))
}
