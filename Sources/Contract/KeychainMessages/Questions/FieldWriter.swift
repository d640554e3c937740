import LatchkeyEncoding
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Collects the fields of a message one after the other. Secrets go beside the body, in order.
package struct FieldWriter {
    private(set) var values: [PropertyValue] = []
    private(set) var secrets: [SecretBox] = []

    init() {}

    init(_ number: Int64) {
        values = [.integer(number)]
    }

    mutating func value(_ value: PropertyValue) {
        values.append(value)
    }

    mutating func integer(_ number: Int64) {
        value(.integer(number))
    }

    mutating func boolean(_ truth: Bool) {
        value(.boolean(truth))
    }

    mutating func text(_ text: String) {
        value(.string(text))
    }

    mutating func data(_ bytes: [UInt8]) {
        value(.data(bytes))
    }

    mutating func date(_ time: WallTime) {
        value(.date(time.seconds))
    }

    mutating func optionalText(_ text: String?) {
        value(text.map { .string($0) } ?? .null)
    }

    mutating func optionalInteger(_ number: Int64?) {
        value(number.map { .integer($0) } ?? .null)
    }

    mutating func optionalDate(_ time: WallTime?) {
        value(time.map { .date($0.seconds) } ?? .null)
    }

    mutating func optionalBoolean(_ truth: Bool?) {
        value(truth.map { .boolean($0) } ?? .null)
    }

    mutating func texts(_ texts: [String]) {
        value(.array(texts.map { .string($0) }))
    }

    /// A text that is a part of its own where it is there.
    mutating func optionalTextPart(_ text: String?) {
        value(text.map { .array([.string($0)]) } ?? .null)
    }

    mutating func counts(_ counts: [String: Int64]) {
        value(.dictionary(counts.mapValues { .integer($0) }))
    }

    /// A list whose elements are lists of fields.
    mutating func elements<Elements: Sequence>(
        _ elements: Elements, _ write: (inout FieldWriter, Elements.Element) -> Void
    ) {
        let list = elements.map { element in
            var part = FieldWriter()
            // Moved, not copied: there may be a secret for each element.
            swap(&part.secrets, &secrets)
            write(&part, element)
            swap(&part.secrets, &secrets)
            return PropertyValue.array(part.values)
        }
        value(.array(list))
    }

    mutating func secret(_ secret: SecretBox) {
        value(.secret(secrets.count))
        secrets.append(secret)
    }

    /// A secret that need not come along: null, or a list of its own.
    mutating func optionalSecret(_ secret: SecretBox?) {
        guard let secret else { return value(.null) }
        value(.array([.secret(secrets.count)]))
        secrets.append(secret)
    }
}
