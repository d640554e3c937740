import Glibc

// From glibc 2.38 on the C library has these two itself: disfavoured, so that its own are taken then.

/// Copies a text of C with its end mark, as much as fits into `size` bytes, and returns the length of the source: a
/// result of `size` or more says that it was cut off. With a size of 0 nothing is written.
@_disfavoredOverload @discardableResult
public func strlcpy(_ dst: UnsafeMutablePointer<CChar>!, _ source: UnsafePointer<CChar>!, _ size: Int) -> Int {
    let length = unsafe strlen(source)
    guard size > 0 else { return length }
    let count = min(length, size - 1)
    unsafe memcpy(dst, source, count)
    unsafe dst[count] = 0
    return length
}

/// Appends a text of C, as much as fits into `size` bytes with the text that is there, and returns the length that was
/// needed: a result of `size` or more says that it was cut off. Without an end mark in the first `size` bytes nothing
/// is written.
@_disfavoredOverload @discardableResult
public func strlcat(_ dst: UnsafeMutablePointer<CChar>!, _ source: UnsafePointer<CChar>!, _ size: Int) -> Int {
    let before = unsafe strnlen(dst, max(size, 0))
    guard before < size else { return unsafe before + strlen(source) }
    return unsafe before + strlcpy(dst + before, source, size - before)
}
