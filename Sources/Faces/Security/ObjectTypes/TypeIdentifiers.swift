/// Returns the number of an object's type; 0 for an object of a class that has none.
@discardableResult
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { ObjectRuntime.typeID(of: cf) }

@discardableResult public func CFStringGetTypeID() -> CFTypeID { ObjectRuntime.string }
@discardableResult public func CFDataGetTypeID() -> CFTypeID { ObjectRuntime.data }
@discardableResult public func CFNumberGetTypeID() -> CFTypeID { ObjectRuntime.number }
@discardableResult public func CFBooleanGetTypeID() -> CFTypeID { ObjectRuntime.boolean }
@discardableResult public func CFDateGetTypeID() -> CFTypeID { ObjectRuntime.date }
@discardableResult public func CFArrayGetTypeID() -> CFTypeID { ObjectRuntime.array }
@discardableResult public func CFDictionaryGetTypeID() -> CFTypeID { ObjectRuntime.dictionary }
@discardableResult public func CFSetGetTypeID() -> CFTypeID { ObjectRuntime.set }
@discardableResult public func CFURLGetTypeID() -> CFTypeID { ObjectRuntime.url }
@discardableResult public func CFUUIDGetTypeID() -> CFTypeID { ObjectRuntime.uuid }
@discardableResult public func CFNullGetTypeID() -> CFTypeID { ObjectRuntime.null }
@discardableResult public func CFErrorGetTypeID() -> CFTypeID { ObjectRuntime.error }

@discardableResult public func SecAccessControlGetTypeID() -> CFTypeID { SecAccessControl.registration.typeID }
@discardableResult public func SecKeyGetTypeID() -> CFTypeID { SecKey.registration.typeID }
@discardableResult public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.registration.typeID }
@discardableResult public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.registration.typeID }
@discardableResult public func SecPolicyGetTypeID() -> CFTypeID { SecPolicy.registration.typeID }
@discardableResult public func SecTrustGetTypeID() -> CFTypeID { SecTrust.registration.typeID }
