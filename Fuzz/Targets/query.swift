import LatchkeyItemModel
import LatchkeyPropertyListDER

private let calls: [QueryGrammar.Call] = [.add, .find, .update, .delete]

/// A dictionary that an app passes, in the encoding in which it reaches the service.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let value = try? DERReader.decode(input) else { return 0 }
    let pairs = pairs(of: value)
    for call in calls {
        let forth = answer { () throws(QueryRefusal) in check(try QueryGrammar.query(pairs, for: call)) }
        let back = answer { () throws(QueryRefusal) in check(try QueryGrammar.query(pairs.reversed(), for: call)) }
        // Equal keys may stand in a list; whichever comes last counts, so only distinct ones can be turned round.
        if Set(pairs.map(\.key)).count == pairs.count {
            precondition(forth?.code == back?.code, "the order of the pairs changes the answer")
        }
    }
    for itemClass in ItemClass.allCases {
        _ = answer { () throws(QueryRefusal) in _ = try QueryGrammar.changes(pairs, of: itemClass) }
    }
    return 0
}

/// Dictionaries have text as keys; lists stand for dictionaries with any keys.
private func pairs(of value: PropertyValue) -> [QueryPair] {
    switch value {
    case .dictionary(let dictionary):
        return dictionary.map { QueryPair($0.key, $0.value) }
    case .array(let values):
        return stride(from: 0, to: values.count - 1, by: 2).map {
            QueryPair(key: values[$0], value: values[$0 + 1])
        }
    default:
        return []
    }
}

private func answer(_ body: () throws(QueryRefusal) -> Void) -> QueryRefusal? {
    do {
        try body()
        return nil
    } catch {
        precondition(error.code != .success && !error.reason.isEmpty && !error.advice.isEmpty)
        return error
    }
}

/// Checks the properties of a query that exists.
private func check(_ query: ItemQuery) {
    if query.itemClass == .identity {
        let (certificate, key) = (query.certificateSide, query.keySide)
        check(certificate)
        check(key)
        precondition(
            query.attributes.allSatisfy { name, value in
                (certificate.attributes[name] == value) != (key.attributes[name] == value)
            }, "an attribute of an identity is on no side, or on both")
    } else {
        checkColumns(query)
    }
    _ = AttributeKind.microseconds(query.creationDate ?? 0)
    if let reference = query.persistentReference { precondition(PersistentReference(reference.bytes) == reference) }
}

private func checkColumns(_ query: ItemQuery) {
    guard let schema = ItemSchema.of(query.itemClass) else { preconditionFailure("a query of a class without rows") }
    for (name, value) in query.attributes {
        guard let attribute = schema[name] else { preconditionFailure("an attribute of no column") }
        precondition(attribute.kind.stored(value) == value, "a value is not of its column's kind")
        _ = AttributeKind.canonicalBytes(of: value)
    }
}
