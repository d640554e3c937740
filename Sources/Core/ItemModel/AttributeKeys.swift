import LatchkeyAccessControl
import LatchkeyPropertyListDER

/// The four-character keys of a query: attributes of the class, and a few that have their own rules.
enum AttributeKeys {
    static func read(
        _ pairs: SortedPairs, for call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) {
        var unknown: String?
        var hasSharingGroup = false
        var privateName: String?
        for (key, value) in pairs.all(.attribute) {
            guard let name = AttributeName(column: key) else {
                unknown = unknown ?? key
                continue
            }
            if try readNamed(name, value, call, into: &query) { continue }
            guard let attribute = ItemSchema.home(of: name, in: query.itemClass)?.attribute else {
                unknown = unknown ?? key
                continue
            }
            guard let stored = attribute.kind.stored(value) else {
                throw .badValue(of: key, expected: "of the kind this attribute has")
            }
            if attribute.isPrivate { privateName = key }
            if name == .sharingGroup { hasSharingGroup = true }
            query.attributes[name] = stored
        }
        if hasSharingGroup, query.synchronizable != nil {
            throw .notAllowedHere("ggrp with sync", in: call.rawValue, advice: "Leave one of them out.")
        }
        if let unknown { throw .unknownAttribute(unknown, of: query.itemClass) }
        if query.itemClass == .key, query.tokenObject != nil, query.attributes[.tokenID] == nil {
            throw .tokenObjectAlone
        }
        if let privateName { throw .privateKey(privateName) }
    }

    /// Reads a key that has its own rule and is not a column of the class. Returns false for any other key.
    private static func readNamed(
        _ name: AttributeName, _ value: PropertyValue, _ call: QueryGrammar.Call, into query: inout ItemQuery
    ) throws(QueryRefusal) -> Bool {
        switch name {
        case .noLegacy, .multiUser:
            return true
        case .clip:
            throw .unknownKey(name.rawValue)
        case .accessGroup:
            query.accessGroup = try text(value, of: "kSecAttrAccessGroup")
        case .accessible:
            query.accessible = try accessible(value)
        case .accessControl:
            query.accessControl = try accessControl(value)
        case .synchronizable:
            query.synchronizable = try synchronizability(value, call)
        case .creationDate:
            query.creationDate = try date(value, of: "kSecAttrCreationDate")
        case .modificationDate:
            query.modificationDate = try date(value, of: "kSecAttrModificationDate")
        case .tombstone:
            query.asksForTombstones = try isTrue(value, of: "kSecAttrTombstone")
            if query.asksForTombstones, call == .add {
                throw .notAllowedHere("kSecAttrTombstone", in: call.rawValue, advice: "Leave it out.")
            }
        case .tokenOID:
            guard [.key, .identity].contains(query.itemClass) else { return false }
            guard case .data(let object) = value else { throw .badValue(of: "kSecAttrTokenOID", expected: "Data") }
            query.tokenObject = object
        case .extraNotes, .extraHistory, .extraClientDefined0, .extraClientDefined1, .extraClientDefined2,
            .extraClientDefined3:
            guard query.itemClass == .internetPassword else { return false }
            throw .privateKey(name.rawValue)
        default:
            return false
        }
        return true
    }

    static func text(_ value: PropertyValue, of key: String) throws(QueryRefusal) -> String {
        guard case .string(let text)? = AttributeKind.string.stored(value) else {
            throw .badValue(of: key, expected: "text")
        }
        return text
    }

    static func accessible(_ value: PropertyValue) throws(QueryRefusal) -> ProtectionClass {
        guard case .string(let name) = value, let protectionClass = ProtectionClass(rawValue: name),
            ProtectionClass.ofItems.contains(protectionClass)
        else {
            throw .badValue(of: "kSecAttrAccessible", expected: "one of the kSecAttrAccessible constants")
        }
        return protectionClass
    }

    static func accessControl(_ value: PropertyValue) throws(QueryRefusal) -> AccessControl {
        guard case .reference(kind: AccessControl.referenceKind, let bytes) = value else {
            throw .badValue(of: "kSecAttrAccessControl", expected: "a SecAccessControl")
        }
        guard let accessControl = try? AccessControl(serialised: bytes) else { throw .badAccessControl }
        return accessControl
    }

    static func date(_ value: PropertyValue, of key: String) throws(QueryRefusal) -> Double {
        guard case .date(let seconds) = value else { throw .badValue(of: key, expected: "a Date") }
        guard UnstorableValue.isStorable(date: seconds) else { throw .dateOutOfRange }
        return seconds
    }

    static func isTrue(_ value: PropertyValue, of key: String) throws(QueryRefusal) -> Bool {
        switch value {
        case .boolean(let truth): return truth
        case .integer(let number): return number != 0
        default: throw .badValue(of: key, expected: "a Boolean")
        }
    }

    private static func synchronizability(
        _ value: PropertyValue, _ call: QueryGrammar.Call
    ) throws(QueryRefusal) -> ItemQuery.Synchronizability {
        if case .string("syna") = value {
            guard call != .add else {
                throw .badValue(of: "kSecAttrSynchronizable", expected: "a Boolean; Any is for searches")
            }
            return .any
        }
        return try isTrue(value, of: "kSecAttrSynchronizable") ? .synchronizable : .local
    }
}
