package import LatchkeyPropertyListDER

/// The reason why bytes are not an access control.
package enum SerialisationFailure: Error, Sendable, Equatable {
    case empty
    case notDER(DERFailure)
    case notADictionary
    case missing(key: String)
    case wrongType(key: String)
    case unknownKey(String)
    /// Protection and flags that no access control can have.
    case impossible(CreationRefusal)
    /// Flags of another form than the one they are written in.
    case notSimplest
    /// An enrolment set where there can be none, or none where one belongs.
    case misplacedSet
}

extension AccessControl {
    private enum Key {
        static let protection = "prot"
        static let flags = "flags"
        static let isBound = "bound"
        static let enrolmentSet = "set"
        static let all: Set<String> = [protection, flags, isBound, enrolmentSet]
    }

    /// A DER dictionary of protection (`prot`), flags in their simplest form (`flags`), the mark (`bound`) and, once
    /// bound to one, the enrolment set (`set`). Equal access controls have equal bytes.
    package var serialised: [UInt8] {
        if flags.isEmpty, isBound, let bytes = Self.serialisedPlain[protection] { return bytes }
        return encoded
    }

    /// Those without flags, which most items have: each row that is read or written has one.
    private static let serialisedPlain = Dictionary(
        uniqueKeysWithValues: ProtectionClass.allCases.map { ($0, AccessControl(protection: $0).encoded) })
    private static let plain = Dictionary(
        uniqueKeysWithValues: serialisedPlain.map { ($0.value, AccessControl(protection: $0.key)) })

    private var encoded: [UInt8] {
        var fields: [String: PropertyValue] = [
            Key.protection: .string(protection.rawValue),
            Key.flags: .integer(Int64(flags.rawValue)),
            Key.isBound: .boolean(isBound),
        ]
        if let enrolmentSet { fields[Key.enrolmentSet] = .data(enrolmentSet.bytes) }
        return DERWriter.encode(.dictionary(fields))
    }

    /// Decodes unchecked bytes. Accepted bytes would be encoded as the same bytes, except for the lenient booleans of
    /// the encoding.
    package init(serialised bytes: [UInt8]) throws(SerialisationFailure) {
        if let plain = Self.plain[bytes] {
            self = plain
            return
        }
        guard !bytes.isEmpty else { throw .empty }
        guard case .dictionary(let fields) = try Self.decoded(bytes) else { throw .notADictionary }
        if let unknown = fields.keys.sorted().first(where: { !Key.all.contains($0) }) { throw .unknownKey(unknown) }
        guard let protection = fields[Key.protection] else { throw .missing(key: Key.protection) }
        guard let flags = fields[Key.flags] else { throw .missing(key: Key.flags) }
        guard let isBound = fields[Key.isBound] else { throw .missing(key: Key.isBound) }
        guard case .string(let name) = protection else { throw .wrongType(key: Key.protection) }
        guard case .integer(let number) = flags, let bits = UInt64(exactly: number) else {
            throw .wrongType(key: Key.flags)
        }
        guard case .boolean(let mark) = isBound else { throw .wrongType(key: Key.isBound) }
        let made = try Self.made(protection: name, flags: AccessControlFlags(rawValue: bits))
        guard made.flags.rawValue == bits else { throw .notSimplest }
        guard let asWritten = AccessControl(made, isBound: mark, enrolmentSet: try Self.set(in: fields)) else {
            throw .misplacedSet
        }
        self = asWritten
    }

    /// Nil for all bytes but those that ``serialised`` makes: what messages carry has one form.
    package init?(exactly bytes: [UInt8]) {
        guard let read = try? AccessControl(serialised: bytes), read.serialised == bytes else { return nil }
        self = read
    }

    private static func set(in fields: [String: PropertyValue]) throws(SerialisationFailure) -> EnrolmentSet? {
        guard let field = fields[Key.enrolmentSet] else { return nil }
        guard case .data(let bytes) = field, let set = EnrolmentSet(bytes) else {
            throw .wrongType(key: Key.enrolmentSet)
        }
        return set
    }

    private static func decoded(_ bytes: [UInt8]) throws(SerialisationFailure) -> PropertyValue {
        do throws(DERFailure) {
            return try DERReader.decode(bytes)
        } catch {
            throw .notDER(error)
        }
    }

    private static func made(
        protection: String, flags: AccessControlFlags
    ) throws(SerialisationFailure) -> AccessControl {
        do throws(CreationRefusal) {
            return try AccessControl(protection: protection, flags: flags)
        } catch {
            throw .impossible(error)
        }
    }
}
