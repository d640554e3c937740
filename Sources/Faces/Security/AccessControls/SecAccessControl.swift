public import Foundation
package import LatchkeyAccessControl

/// When and for what an item may be used. Two with the same rules are equal. Immutable, and therefore Sendable.
public final class SecAccessControl: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecAccessControl.self, name: "SecAccessControl")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecAccessControl.registration.infoWord
    package let rules: AccessControl

    package init(_ rules: AccessControl) {
        self.rules = rules
        super.init()
    }

    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.rules == rules
    }

    override public var hash: Int { rules.hashValue }

    override public var description: String { rules.description }
}
