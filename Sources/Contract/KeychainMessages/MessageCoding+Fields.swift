import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A reader that takes the fields of a message one after the other and checks each.
package struct MessageFields {
    private var values: ArraySlice<PropertyValue>
    /// All secrets of the message.
    let secrets: [SecretBox]
    /// The secrets of the parts of an answer that came before: values may refer to them, too.
    private let secretsBefore: Int
    /// True once a question has said how many secrets it has.
    private(set) var isSecretCountKnown = false

    init(_ values: ArraySlice<PropertyValue>, secrets: [SecretBox], secretsBefore: Int = 0) {
        self.values = values
        self.secrets = secrets
        self.secretsBefore = secretsBefore
    }

    /// The fields that are left, of a message to which others with so many secrets belong.
    func after(secrets count: Int) -> MessageFields {
        MessageFields(values, secrets: secrets, secretsBefore: count)
    }

    /// Takes a value of any type. All secrets that it refers to must be in the message.
    mutating func value(_ name: String) throws(MessageCodingFailure) -> PropertyValue {
        guard let value = values.popFirst() else { throw .fieldMissing(name) }
        try checkSecrets(in: value)
        return value
    }

    mutating func integer(_ name: String) throws(MessageCodingFailure) -> Int64 {
        guard case .integer(let number) = try next(name) else { throw .badField(name) }
        return number
    }

    /// Takes an integer that is not negative.
    mutating func count(_ name: String) throws(MessageCodingFailure) -> Int64 {
        let count = try integer(name)
        guard count >= 0 else { throw .badField(name) }
        return count
    }

    mutating func boolean(_ name: String) throws(MessageCodingFailure) -> Bool {
        guard case .boolean(let truth) = try next(name) else { throw .badField(name) }
        return truth
    }

    mutating func text(_ name: String) throws(MessageCodingFailure) -> String {
        guard case .string(let text) = try next(name) else { throw .badField(name) }
        return text
    }

    mutating func data(_ name: String) throws(MessageCodingFailure) -> [UInt8] {
        guard case .data(let bytes) = try next(name) else { throw .badField(name) }
        return bytes
    }

    mutating func date(_ name: String) throws(MessageCodingFailure) -> WallTime {
        guard case .date(let seconds) = try next(name) else { throw .badField(name) }
        return WallTime(secondsSince2001: seconds)
    }

    mutating func list(_ name: String, limit: Int) throws(MessageCodingFailure) -> [PropertyValue] {
        guard case .array(let list) = try next(name) else { throw .badField(name) }
        guard list.count <= limit else { throw .tooMany(field: name, found: list.count, limit: limit) }
        return list
    }

    mutating func texts(_ name: String, limit: Int) throws(MessageCodingFailure) -> [String] {
        var texts: [String] = []
        for value in try list(name, limit: limit) {
            guard case .string(let text) = value else { throw .badField(name) }
            texts.append(text)
        }
        return texts
    }

    /// Takes a list whose elements are lists of fields.
    mutating func elements<Element>(
        _ name: String, limit: Int,
        _ element: (inout MessageFields) throws(MessageCodingFailure) -> Element
    ) throws(MessageCodingFailure) -> [Element] {
        var elements: [Element] = []
        for value in try list(name, limit: limit) {
            guard case .array(let values) = value else { throw .badField(name) }
            var fields = MessageFields(values[...], secrets: secrets, secretsBefore: secretsBefore)
            elements.append(try element(&fields))
            try fields.finish()
        }
        return elements
    }

    /// Takes a dictionary of counts by name.
    mutating func counts(_ name: String) throws(MessageCodingFailure) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for (key, value) in try dictionary(name) {
            guard case .integer(let count) = value, count >= 0 else { throw .badField(name) }
            counts[key] = count
        }
        return counts
    }

    mutating func dictionary(_ name: String) throws(MessageCodingFailure) -> [String: PropertyValue] {
        guard case .dictionary(let dictionary) = try next(name) else { throw .badField(name) }
        return dictionary
    }

    /// Takes an optional list of fields; null stands for none.
    mutating func part(_ name: String) throws(MessageCodingFailure) -> MessageFields? {
        switch try next(name) {
        case .null: return nil
        case .array(let values): return MessageFields(values[...], secrets: secrets, secretsBefore: secretsBefore)
        default: throw .badField(name)
        }
    }

    mutating func optionalDate(_ name: String) throws(MessageCodingFailure) -> WallTime? {
        try isNull(name) ? nil : try date(name)
    }

    mutating func optionalBoolean(_ name: String) throws(MessageCodingFailure) -> Bool? {
        try isNull(name) ? nil : try boolean(name)
    }

    mutating func optionalInteger(_ name: String) throws(MessageCodingFailure) -> Int64? {
        try isNull(name) ? nil : try integer(name)
    }

    mutating func optionalText(_ name: String) throws(MessageCodingFailure) -> String? {
        try isNull(name) ? nil : try text(name)
    }

    mutating func optionalData(_ name: String) throws(MessageCodingFailure) -> [UInt8]? {
        try isNull(name) ? nil : try data(name)
    }

    /// Returns true, and skips the field, if it is null.
    private mutating func isNull(_ name: String) throws(MessageCodingFailure) -> Bool {
        guard let value = values.first else { throw .fieldMissing(name) }
        guard value == .null else { return false }
        values.removeFirst()
        return true
    }

    mutating func secretIndex(_ name: String) throws(MessageCodingFailure) -> Int {
        let value = try next(name)
        guard case .secret(let index) = value else { throw .badField(name) }
        try checkSecrets(in: value)
        return index
    }

    /// Takes an optional text that is encoded as a list of its own.
    mutating func optionalTextPart(_ name: String) throws(MessageCodingFailure) -> String? {
        guard var part = try part(name) else { return nil }
        let text = try part.text(name)
        try part.finish()
        return text
    }

    func checkNoSecrets(_ name: String) throws(MessageCodingFailure) {
        guard secrets.isEmpty else { throw .badField(name) }
    }

    mutating func secret(_ name: String) throws(MessageCodingFailure) -> SecretBox {
        secrets[try secretIndex(name)]
    }

    /// Takes an optional secret.
    mutating func optionalSecret(_ name: String) throws(MessageCodingFailure) -> SecretBox? {
        guard var part = try part(name) else { return nil }
        let secret = try part.secret(name)
        try part.finish()
        return secret
    }

    /// Takes the owner's passcode, which must be the only secret of its message.
    mutating func passcode() throws(MessageCodingFailure) -> SecretBox? {
        guard let passcode = try optionalSecret("passcode") else { return nil }
        try checkSecretCount(1, "passcode")
        return passcode
    }

    /// Refuses a message with other secrets than those that were taken.
    mutating func checkSecretCount(_ count: Int, _ name: String) throws(MessageCodingFailure) {
        guard secrets.count == count else { throw .badField(name) }
        isSecretCountKnown = true
    }

    /// Takes a list in which keys and values alternate.
    mutating func pairs(_ name: String) throws(MessageCodingFailure) -> [QueryPair] {
        let list = try list(name, limit: 2 * MessageCoding.pairsPerDictionary)
        guard list.count.isMultiple(of: 2) else { throw .badField(name) }
        var pairs: [QueryPair] = []
        pairs.reserveCapacity(list.count / 2)
        for index in stride(from: 0, to: list.count, by: 2) {
            try checkSecrets(in: list[index])
            try checkSecrets(in: list[index + 1])
            pairs.append(QueryPair(key: list[index], value: list[index + 1]))
        }
        return pairs
    }

    var hasMore: Bool { !values.isEmpty }

    /// True if the next field stands for a secret.
    var startsWithSecret: Bool {
        if case .secret? = values.first { true } else { false }
    }

    func finish() throws(MessageCodingFailure) {
        guard values.isEmpty else { throw .fieldsLeft(values.count) }
    }

    private mutating func next(_ name: String) throws(MessageCodingFailure) -> PropertyValue {
        guard let value = values.popFirst() else { throw .fieldMissing(name) }
        return value
    }

    private func checkSecrets(in value: PropertyValue) throws(MessageCodingFailure) {
        switch value {
        case .secret(let index):
            guard index - secretsBefore < secrets.count else {
                throw .secretMissing(index: index, count: secretsBefore + secrets.count)
            }
        case .array(let values):
            for value in values { try checkSecrets(in: value) }
        case .dictionary(let dictionary):
            for value in dictionary.values { try checkSecrets(in: value) }
        case .null, .boolean, .integer, .string, .data, .date, .reference:
            break
        }
    }
}
