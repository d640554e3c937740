public import Foundation

/// Returns the text for people of a result code. Never nil; `reserved` is ignored.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: ResultMessage.text(of: status))
}
