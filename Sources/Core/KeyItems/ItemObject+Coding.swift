package import LatchkeyPropertyListDER

extension ItemObject {
    private enum Kind {
        static let key = "SecKey"
        static let certificate = "SecCertificate"
        static let identity = "SecIdentity"
    }

    package var value: PropertyValue {
        .reference(kind: kind, bytes: DERWriter.encode(fields))
    }

    /// Nil for a value of another kind.
    package init?(_ value: PropertyValue) {
        guard case .reference(let kind, let bytes) = value,
            let fields = try? DERReader.decode(bytes, limits: DERReader.Limits(depth: 4, values: 16)),
            let object = ItemObject(fields: fields), object.kind == kind
        else { return nil }
        self = object
    }

    private var kind: String {
        switch self {
        case .key, .enclaveKey: Kind.key
        case .certificate: Kind.certificate
        case .identity: Kind.identity
        }
    }

    private var fields: PropertyValue {
        switch self {
        case .key(let keyClass, let type, let index):
            .array([.integer(1), .integer(keyClass), .integer(type), .integer(Int64(index))])
        case .enclaveKey(let blob): .array([.integer(2), .data(blob)])
        case .certificate(let index): .array([.integer(3), .integer(Int64(index))])
        case .identity(let key, let index): .array([.integer(4), key.fields, .integer(Int64(index))])
        }
    }

    private init?(fields: PropertyValue) {
        guard case .array(let list) = fields, case .integer(let number)? = list.first else { return nil }
        switch (number, list.count) {
        case (1, 4):
            guard case .integer(let keyClass) = list[1], case .integer(let type) = list[2],
                let index = Self.index(list[3])
            else { return nil }
            self = .key(keyClass: keyClass, type: type, dataSecret: index)
        case (2, 2):
            guard case .data(let blob) = list[1] else { return nil }
            self = .enclaveKey(blob: blob)
        case (3, 2):
            guard let index = Self.index(list[1]) else { return nil }
            self = .certificate(dataSecret: index)
        case (4, 3):
            guard let key = ItemObject(fields: list[1]), key.kind == Kind.key, let index = Self.index(list[2]) else {
                return nil
            }
            self = .identity(key: key, certificateSecret: index)
        default:
            return nil
        }
    }

    private static func index(_ value: PropertyValue) -> Int? {
        guard case .integer(let number) = value, let index = Int(exactly: number), index >= 0 else { return nil }
        return index
    }
}
