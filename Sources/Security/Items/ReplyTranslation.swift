import AccessControl
import Foundation
package import PropertyListDER
package import SecretMemory

/// The way of an answer back into objects. They are always objects of Foundation, so that programs can cast them to
/// whatever they expect.
package struct ReplyTranslation {
    /// What in an answer has no object.
    package enum Failure: Error, Sendable, Equatable {
        case noSuchSecret(index: Int)
        case damagedAccessControl
        case unknownReference(kind: String)
    }

    private let secrets: [SecretBox]

    package init(secrets: [SecretBox]) {
        self.secrets = secrets
    }

    package func object(of value: PropertyValue) throws(Failure) -> AnyObject {
        switch value {
        case .null: NSNull()
        case .boolean(let truth): NSNumber(value: truth)
        case .integer(let number): NSNumber(value: number)
        case .string(let text): NSString(string: text)
        case .data(let bytes): unsafe bytes.withUnsafeBytes { unsafe Self.data(copying: $0) }
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .array(let values): try array(of: values)
        case .dictionary(let values): try dictionary(of: values)
        case .secret(let index): try secret(at: index)
        case .reference(let kind, let bytes): try reference(kind: kind, bytes: bytes)
        }
    }

    private func array(of values: [PropertyValue]) throws(Failure) -> NSArray {
        var objects: [AnyObject?] = []
        objects.reserveCapacity(values.count)
        for value in values { objects.append(try object(of: value)) }
        return unsafe objects.withUnsafeBufferPointer { list in
            unsafe list.withMemoryRebound(to: AnyObject.self) {
                unsafe NSArray(objects: $0.baseAddress, count: $0.count)
            }
        }
    }

    private func dictionary(of values: [String: PropertyValue]) throws(Failure) -> NSDictionary {
        var keys: [NSObject] = []
        var objects: [AnyObject] = []
        keys.reserveCapacity(values.count)
        objects.reserveCapacity(values.count)
        for (key, value) in values {
            keys.append(NSString(string: key))
            objects.append(try object(of: value))
        }
        return unsafe NSDictionary(objects: objects, forKeys: keys, count: keys.count)
    }

    /// The last step of a secret in this module: from here on it is in the program's hands.
    private func secret(at index: Int) throws(Failure) -> NSData {
        guard secrets.indices.contains(index) else { throw .noSuchSecret(index: index) }
        return unsafe secrets[index].withBytes { unsafe Self.data(copying: $0) }
    }

    private func reference(kind: String, bytes: [UInt8]) throws(Failure) -> AnyObject {
        guard kind == ReferenceKind.accessControl else { throw .unknownReference(kind: kind) }
        guard let rules = try? AccessControl(serialised: bytes) else { throw .damagedAccessControl }
        return SecAccessControl(rules)
    }

    private static func data(copying bytes: UnsafeRawBufferPointer) -> NSData {
        guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else { return NSData() }
        return unsafe NSData(bytes: start, length: bytes.count)
    }
}
