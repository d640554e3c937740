import Security

@c(SecAccessControlGetTypeID) public func secAccessControlGetTypeID() -> UInt { SecAccessControlGetTypeID() }
@c(SecCertificateGetTypeID) public func secCertificateGetTypeID() -> UInt { SecCertificateGetTypeID() }
@c(SecIdentityGetTypeID) public func secIdentityGetTypeID() -> UInt { SecIdentityGetTypeID() }
@c(SecKeyGetTypeID) public func secKeyGetTypeID() -> UInt { SecKeyGetTypeID() }
@c(SecPolicyGetTypeID) public func secPolicyGetTypeID() -> UInt { SecPolicyGetTypeID() }
@c(SecTrustGetTypeID) public func secTrustGetTypeID() -> UInt { SecTrustGetTypeID() }
