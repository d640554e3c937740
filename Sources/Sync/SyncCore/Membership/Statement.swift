internal import LatchkeyPropertyListDER

/// A fact about a circle, with its author and its place among the statements before it.
package struct Statement: Hashable, Sendable {
    /// Nil for a founding statement only: its hash names the circle.
    package let circle: CircleIdentifier?
    package let author: CircleParty
    /// One more than that of the author's last statement before it. The first is 1.
    package let index: Int
    /// The newest statements that the author knew, in ascending order.
    package let parents: [ObjectHash]
    /// Microseconds since 2001-01-01 00:00:00 UTC, by the author's clock. For people only: no rule depends on it.
    package let date: Int64
    package let body: StatementBody

    package init(
        circle: CircleIdentifier?, author: CircleParty, index: Int, parents: Set<ObjectHash>, date: Int64,
        body: StatementBody
    ) throws(StatementFailure) {
        guard 1...StatementLimits.statementsPerAuthor ~= index else { throw .badValue(field: "i") }
        guard parents.count <= StatementLimits.parents else {
            throw .tooMany(field: "p", found: parents.count, limit: StatementLimits.parents)
        }
        if case .recovery = author, !body.isAllowedForRecovery { throw .authorNotAllowed }
        if case .found(let founding) = body {
            guard circle == nil, parents.isEmpty, index == 1 else { throw .misplacedFounding }
            guard author == .device(founding.keys.identifier) else { throw .authorNotAllowed }
        } else {
            guard circle != nil, !parents.isEmpty else { throw .misplacedFounding }
        }
        self.circle = circle
        self.author = author
        self.index = index
        self.parents = parents.sorted()
        self.date = date
        self.body = body
    }

    /// Makes the founding statement of a circle.
    package init(founding: Founding, date: Int64) throws(StatementFailure) {
        try self.init(
            circle: nil, author: .device(founding.keys.identifier), index: 1, parents: [], date: date,
            body: .found(founding))
    }
}

extension Statement {
    /// Returns the object without its signatures. Throws if it is too large.
    package func content() throws(StatementFailure) -> ObjectContent {
        let (kind, value) = body.encoded
        var fields: [String: PropertyValue] = [
            "a": .data(author.bytes), "b": value, "i": .integer(Int64(index)), "k": .integer(kind),
            "p": .array(parents.map { .data($0.bytes) }), "t": .integer(date),
        ]
        if let circle { fields["c"] = .data(circle.bytes) }
        do throws(ObjectFailure) {
            return try ObjectContent(kind: .statement, body: DERWriter.encode(.dictionary(fields)))
        } catch {
            throw .object(error)
        }
    }

    /// Parses an object without its signatures. Refuses bytes that ``content()`` would not write.
    init(parsing content: ObjectContent) throws(StatementFailure) {
        guard content.kind == .statement else { throw .notStatement(content.kind) }
        let limits = DERReader.Limits(depth: StatementLimits.depth, values: StatementLimits.values)
        let value: PropertyValue
        do throws(DERFailure) {
            value = try DERReader.decode(content.body, limits: limits)
        } catch {
            throw .encoding(error)
        }
        try self.init(value)
        guard try self.content() == content else { throw .notCanonical }
    }

    private init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "")
        let circle: CircleIdentifier?
        if let bytes = try reader.optionalData("c") {
            guard let identifier = CircleIdentifier(bytes) else { throw .badValue(field: "c") }
            circle = identifier
        } else {
            circle = nil
        }
        guard let author = CircleParty(try reader.data("a")[...]) else { throw .badValue(field: "a") }
        guard let index = Int(exactly: try reader.integer("i")) else { throw .badValue(field: "i") }
        var parents: Set<ObjectHash> = []
        for bytes in try reader.sortedData("p", limit: StatementLimits.parents) {
            guard let parent = ObjectHash(bytes) else { throw .badValue(field: "p") }
            parents.insert(parent)
        }
        let date = try reader.integer("t")
        let body = try StatementBody(kind: try reader.integer("k"), try reader.required("b"))
        try reader.finish()
        try self.init(circle: circle, author: author, index: index, parents: parents, date: date, body: body)
    }
}
