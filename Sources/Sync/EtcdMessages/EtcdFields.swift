/// The members of the gateway's objects. A member that has its default value is left out by the gateway.
enum EtcdFields {
    static func root(of body: [UInt8]) throws(EtcdAnswerFailure) -> JSONValue {
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONReader.value(of: body)
        } catch {
            throw .notJSON(error)
        }
        guard case .object = value else { throw .wrongType }
        return value
    }

    /// The revision in the header of an answer.
    static func revision(of value: JSONValue) throws(EtcdAnswerFailure) -> Int64 {
        guard let header = try value.member("header") else { throw .memberMissing("header") }
        return try revision("revision", of: header)
    }

    /// A revision, after which there is another one.
    static func revision(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> Int64 {
        let number = try integer(name, of: value)
        guard (0..<Int64.max).contains(number) else { throw .badNumber("\(name)") }
        return number
    }

    static func boolean(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> Bool {
        switch try value.member(name) {
        case nil: return false
        case .boolean(let truth)?: return truth
        default: throw .wrongType
        }
    }

    /// A number of 64 bits, which is written as a text. No number of the gateway's that is used here is negative, apart from those of watches.
    static func integer(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> Int64 {
        switch try value.member(name) {
        case nil: return 0
        case .string(let digits)?:
            guard let number = Int64(String(decoding: digits, as: UTF8.self)), digits.first != UInt8(ascii: "+") else {
                throw .badNumber("\(name)")
            }
            return number
        default: throw .wrongType
        }
    }

    /// A number of 32 bits, which is written as one.
    static func plainNumber(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> Int64 {
        switch try value.member(name) {
        case nil: return 0
        case .number(let digits)?:
            guard let number = Int32(digits) else { throw .badNumber("\(name)") }
            return Int64(number)
        default: throw .wrongType
        }
    }

    static func bytes(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> [UInt8] {
        switch try value.member(name) {
        case nil: return []
        case .string(let text)?:
            guard let bytes = Base64.bytes(of: text) else { throw .badBase64("\(name)") }
            return bytes
        default: throw .wrongType
        }
    }

    static func text(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> String {
        switch try value.member(name) {
        case nil: return ""
        case .string(let text)?: return String(decoding: text, as: UTF8.self)
        default: throw .wrongType
        }
    }

    static func array(_ name: StaticString, of value: JSONValue) throws(EtcdAnswerFailure) -> [JSONValue] {
        switch try value.member(name) {
        case nil: return []
        case .array(let elements)?: return elements
        default: throw .wrongType
        }
    }
}
