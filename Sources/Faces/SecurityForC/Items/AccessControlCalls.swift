import Foundation
import Security

@c(SecAccessControlCreateWithFlags)
public func secAccessControlCreateWithFlags(
    _ allocator: UnsafeRawPointer?, _ protection: UnsafeRawPointer?, _ flags: UInt,
    _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecAccessControlCreateWithFlags(
            nil, try required(protection), SecAccessControlCreateFlags(rawValue: flags), slot)
    }
}
