import Foundation
import Security

@_implementationOnly import CLatchkeySecurityBorder

@c(SecCreateSharedWebCredentialPassword)
public func secCreateSharedWebCredentialPassword() -> UnsafeRawPointer? {
    unsafe object { SecCreateSharedWebCredentialPassword() }
}

// The answer is the same whatever the arguments are: no app is associated with a web site.

@c(SecAddSharedWebCredential)
public func secAddSharedWebCredential(
    _ fqdn: UnsafeRawPointer?, _ account: UnsafeRawPointer?, _ password: UnsafeRawPointer?,
    _ completionHandler: UnsafeRawPointer?
) {
    guard let block = unsafe Block(completionHandler) else { return }
    SecAddSharedWebCredential("", "", nil) { error in
        unsafe withOutgoing(error) { unsafe lk_block_call_object(block.address, $0) }
    }
}

@available(*, deprecated)
@c(SecRequestSharedWebCredential)
public func secRequestSharedWebCredential(
    _ fqdn: UnsafeRawPointer?, _ account: UnsafeRawPointer?, _ completionHandler: UnsafeRawPointer?
) {
    guard let block = unsafe Block(completionHandler) else { return }
    SecRequestSharedWebCredential(nil, nil) { credentials, error in
        unsafe withOutgoing(credentials) { credentials in
            unsafe withOutgoing(error) { unsafe lk_block_call_objects(block.address, credentials, $0) }
        }
    }
}
