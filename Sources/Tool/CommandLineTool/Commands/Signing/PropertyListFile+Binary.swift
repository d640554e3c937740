import LatchkeyBinaryPropertyList
import LatchkeyPropertyListDER

extension PropertyListFile {
    private static let limits = ListLimits(byteCount: byteLimit, depth: depthLimit, values: valueLimit)

    static func binaryValue(_ bytes: [UInt8]) throws(Failure) -> PropertyValue {
        let object: ListObject
        do throws(ListFailure) {
            object = try ListReader.value(of: bytes, limits: limits)
        } catch {
            throw Failure(error)
        }
        return try value(of: object)
    }

    private static func value(of object: ListObject) throws(Failure) -> PropertyValue {
        switch object {
        case .boolean(let truth): return .boolean(truth)
        case .integer(let number): return .integer(number)
        case .date(let seconds): return .date(seconds)
        case .data(let bytes): return .data(bytes)
        case .string(let text): return .string(text)
        case .real: throw .realNumber
        case .null, .uid: throw Failure("Entitlements cannot have a value of this type.")
        case .array(let elements):
            var values: [PropertyValue] = []
            for (index, element) in elements.enumerated() {
                do {
                    values.append(try value(of: element))
                } catch {
                    throw error.inside("\(index)")
                }
            }
            return .array(values)
        case .dictionary(let pairs):
            var values: [String: PropertyValue] = [:]
            for (key, element) in pairs.sorted(by: { $0.key < $1.key }) {
                do {
                    values[key] = try value(of: element)
                } catch {
                    throw error.inside(key)
                }
            }
            return .dictionary(values)
        }
    }
}

extension PropertyListFile.Failure {
    fileprivate init(_ failure: ListFailure) {
        switch failure {
        case .tooDeep: self = .tooDeep
        case .tooManyValues: self = .tooMany
        case .wideInteger: self = .wideInteger
        case .repeatedKey: self.init("A key occurs twice.")
        case .damaged, .tooLong, .unreadable:
            self.init("It is not a valid property list: the binary form is damaged.")
        }
    }
}
