import Foundation
import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeyItems
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The way of an answer back into objects. They are always objects of Foundation, so that programs can cast them to
/// whatever they expect.
package struct ReplyTranslation {
    /// The part of a reply that has no object.
    package enum Failure: Error, Sendable, Equatable {
        case noSuchSecret(index: Int)
        case damagedAccessControl
        case unknownReference(kind: String)
        /// A key of the enclave that was found, and could not be looked at.
        case keyUnavailable(OSStatus)
    }

    let secrets: [SecretBox]
    /// Where the answer came from, and what was asked: keys of the enclave remember it. Nil where there are none.
    let origin: (destination: KeyConnection.Destination, query: [QueryPair])?

    package init(secrets: [SecretBox]) {
        self.secrets = secrets
        origin = nil
    }

    init(secrets: [SecretBox], destination: KeyConnection.Destination, query: [QueryPair]) {
        self.secrets = secrets
        origin = (destination, query)
    }

    /// Converts a reply into an object; nil if the stored bytes are not a valid key, certificate or identity.
    package func result(of value: PropertyValue) throws(Failure) -> AnyObject? {
        guard let object = ItemObject(value) else { return try self.object(of: value) }
        return try reference(object)
    }

    /// The object of a value that is not a reference to an item.
    private func object(of value: PropertyValue) throws(Failure) -> AnyObject {
        switch value {
        case .null: NSNull()
        case .boolean(let truth): NSNumber(value: truth)
        case .integer(let number): NSNumber(value: number)
        case .string(let text): NSString(string: text)
        case .data(let bytes): NSData.copying(bytes)
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
        for value in values {
            // Values without an object are left out, and keys that are gone by now.
            do throws(Failure) {
                if let object = try result(of: value) { objects.append(object) }
            } catch .keyUnavailable(let status) where status == errSecItemNotFound {
                continue
            }
        }
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
            guard let object = try result(of: value) else { continue }
            keys.append(NSString(string: key))
            objects.append(object)
        }
        return unsafe NSDictionary(objects: objects, forKeys: keys, count: keys.count)
    }

    private func secret(at index: Int) throws(Failure) -> NSData {
        .copying(try box(at: index))
    }

    func box(at index: Int) throws(Failure) -> SecretBox {
        guard secrets.indices.contains(index) else { throw .noSuchSecret(index: index) }
        return secrets[index]
    }

    private func reference(kind: String, bytes: [UInt8]) throws(Failure) -> AnyObject {
        guard kind == AccessControl.referenceKind else { throw .unknownReference(kind: kind) }
        guard let rules = try? AccessControl(serialised: bytes) else { throw .damagedAccessControl }
        return SecAccessControl(rules)
    }
}
