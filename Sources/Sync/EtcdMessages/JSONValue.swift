/// A value of a JSON text (RFC 8259), as the gateway of etcd writes it.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// The digits as they were written: whole numbers of 64 bits fit into no floating point number.
    case number(String)
    /// The bytes of a string in UTF-8, without escapes.
    case string([UInt8])
    case array([JSONValue])
    case object([JSONMember])

    /// Returns the only member of the name. Throws for another type and for two members of one name; nil if there is none.
    func member(_ name: StaticString) throws(EtcdAnswerFailure) -> JSONValue? {
        guard case .object(let members) = self else { throw .wrongType }
        var found: JSONValue?
        for member in members where member.isNamed(name) {
            guard found == nil else { throw .repeatedMember("\(name)") }
            found = member.value
        }
        return found
    }
}

/// A member of an object.
package struct JSONMember: Hashable, Sendable {
    package let name: [UInt8]
    package let value: JSONValue

    package init(name: [UInt8], value: JSONValue) {
        self.name = name
        self.value = value
    }

    func isNamed(_ other: StaticString) -> Bool {
        unsafe name.elementsEqual(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }
}

/// A reason for which bytes are not a JSON text that is read here.
package enum JSONFailure: Error, Hashable, Sendable {
    case ended
    case unexpected(UInt8, offset: Int)
    case badText(offset: Int)
    case badNumber(offset: Int)
    case tooDeep
    case tooManyValues
    case bytesLeft(offset: Int)
}
