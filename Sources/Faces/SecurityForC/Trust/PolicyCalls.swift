import Foundation
import Security

@c(SecPolicyCreateBasicX509)
public func secPolicyCreateBasicX509() -> UnsafeRawPointer? { unsafe object { SecPolicyCreateBasicX509() } }

@c(SecPolicyCreateSSL)
public func secPolicyCreateSSL(_ server: UInt8, _ hostname: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecPolicyCreateSSL(Bool(server), unsafe try optional(hostname)) }
}

@c(SecPolicyCreateRevocation)
public func secPolicyCreateRevocation(_ revocationFlags: UInt) -> UnsafeRawPointer? {
    unsafe object { SecPolicyCreateRevocation(revocationFlags) }
}

@c(SecPolicyCreateWithProperties)
public func secPolicyCreateWithProperties(
    _ policyIdentifier: UnsafeRawPointer?, _ properties: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        SecPolicyCreateWithProperties(unsafe try required(policyIdentifier), unsafe try optional(properties))
    }
}

@c(SecPolicyCopyProperties)
public func secPolicyCopyProperties(_ policyRef: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecPolicyCopyProperties(unsafe try required(policyRef)) }
}
