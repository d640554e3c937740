import Foundation
import Security

@c(SecIdentityCopyCertificate)
public func secIdentityCopyCertificate(
    _ identityRef: UnsafeRawPointer?, _ certificateRef: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(certificateRef) { slot throws(WrongObject) in
        unsafe SecIdentityCopyCertificate(try required(identityRef), slot)
    }
}

@c(SecIdentityCopyPrivateKey)
public func secIdentityCopyPrivateKey(
    _ identityRef: UnsafeRawPointer?, _ privateKeyRef: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(privateKeyRef) { slot throws(WrongObject) in
        unsafe SecIdentityCopyPrivateKey(try required(identityRef), slot)
    }
}

@c(SecIdentityCreateWithCertificate)
public func secIdentityCreateWithCertificate(
    _ keychainOrArray: UnsafeRawPointer?, _ certificateRef: UnsafeRawPointer?,
    _ identityRef: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(identityRef) { slot throws(WrongObject) in
        unsafe SecIdentityCreateWithCertificate(nil, try required(certificateRef), slot)
    }
}

@c(SecIdentityCreate)
public func secIdentityCreate(
    _ allocator: UnsafeRawPointer?, _ certificate: UnsafeRawPointer?, _ privateKey: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in
        SecIdentityCreate(nil, unsafe try required(certificate), unsafe try required(privateKey))
    }
}

@c(SecPKCS12Import)
public func secPKCS12Import(
    _ data: UnsafeRawPointer?, _ options: UnsafeRawPointer?, _ items: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe filling(items) { slot throws(WrongObject) in
        unsafe SecPKCS12Import(try required(data), try required(options), slot)
    }
}
