import Foundation
import Security

// Private functions of Apple that its own tests and some programs declare for themselves, as far as they have a meaning
// here. `SecurityPriv.h` declares them.

/// Deletes the items of every class that the program may delete.
@c(SecItemDeleteAll)
public func secItemDeleteAll() -> Int32 {
    let classes = unsafe [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey]
    for itemClass in classes {
        let query = unsafe [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny] as NSDictionary
        let code = SecItemDelete(query)
        guard code == errSecSuccess || code == errSecItemNotFound else { return code }
    }
    return errSecSuccess
}

/// Returns null for a key that is not private.
@c(SecKeyCreatePublicFromPrivate)
public func secKeyCreatePublicFromPrivate(_ privateKey: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        let key = unsafe try required(privateKey, as: SecKey.self)
        return key.isPrivate ? SecKeyCopyPublicKey(key) : nil
    }
}
