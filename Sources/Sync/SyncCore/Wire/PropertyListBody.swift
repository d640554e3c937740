internal import LatchkeyPropertyListDER

/// The body of an object that is a DER property list: a dictionary that only one sequence of bytes encodes.
enum PropertyListBody {
    static func content(_ kind: ObjectKind, _ fields: [String: PropertyValue]) throws(StatementFailure) -> ObjectContent
    {
        do throws(ObjectFailure) {
            return try ObjectContent(kind: kind, body: DERWriter.encode(.dictionary(fields)))
        } catch {
            throw .object(error)
        }
    }

    static func reader(_ content: ObjectContent, _ kind: ObjectKind) throws(StatementFailure) -> FieldReader {
        guard content.kind == kind else { throw .notStatement(content.kind) }
        let limits = DERReader.Limits(depth: ObjectLimits.depthOfObject, values: ObjectLimits.valuesInObject)
        do throws(DERFailure) {
            return try decoded(content.body, limits)
        } catch {
            throw .encoding(error)
        }
    }

    private static func decoded(_ body: [UInt8], _ limits: DERReader.Limits) throws(DERFailure) -> FieldReader {
        let value = try DERReader.decode(body, limits: limits)
        guard let reader = try? FieldReader(value, field: "") else { throw .unknownTag(body.first ?? 0) }
        return reader
    }
}

extension FieldReader {
    mutating func identifier<Subject>(_ key: String) throws(StatementFailure) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>(try data(key)) else { throw .badValue(field: key) }
        return identifier
    }

    mutating func hash(_ key: String) throws(StatementFailure) -> ObjectHash {
        guard let hash = ObjectHash(try data(key)) else { throw .badValue(field: key) }
        return hash
    }

    mutating func number(_ key: String) throws(StatementFailure) -> UInt64 {
        guard let number = UInt64(exactly: try integer(key)) else { throw .badValue(field: key) }
        return number
    }

    mutating func hashes(_ key: String, limit: Int) throws(StatementFailure) -> Set<ObjectHash> {
        var hashes: Set<ObjectHash> = []
        for bytes in try sortedData(key, limit: limit) {
            guard let hash = ObjectHash(bytes) else { throw .badValue(field: key) }
            hashes.insert(hash)
        }
        return hashes
    }

    mutating func data(_ key: String, limit: Int) throws(StatementFailure) -> [UInt8] {
        let bytes = try data(key)
        guard bytes.count <= limit else { throw .tooMany(field: key, found: bytes.count, limit: limit) }
        return bytes
    }
}
