internal import LatchkeyPropertyListDER

/// Two objects that one device signed for one place. Needs no signature of its own: it proves itself.
package struct Evidence: Hashable, Sendable {
    /// Whole objects, the one with the smaller hash first.
    package let first: [UInt8]
    package let second: [UInt8]

    /// Throws unless the objects contradict each other. Signatures are not verified.
    package init(_ one: [UInt8], _ other: [UInt8]) throws(StatementFailure) {
        let claims = (try Claim(parsing: one), try Claim(parsing: other))
        guard claims.0.place == claims.1.place, claims.0.hash != claims.1.hash else { throw .notContradictory }
        let isOrdered = claims.0.hash < claims.1.hash
        first = isOrdered ? one : other
        second = isOrdered ? other : one
    }

    /// The device that signed both, if the signatures are valid.
    package var claimedDevice: DeviceIdentifier? { (try? Claim(parsing: first))?.place.device }

    /// Throws unless both objects belong to the circle and both signatures are valid under the keys of the device.
    package func verify(
        in circle: CircleIdentifier, with keys: DevicePublicKeys, by verifier: some StatementVerifying
    ) throws(StatementFailure) -> DeviceIdentifier {
        for bytes in [first, second] { try Claim(parsing: bytes).verify(in: circle, with: keys, by: verifier) }
        return keys.identifier
    }

    package func content() throws(StatementFailure) -> ObjectContent {
        try PropertyListBody.content(.evidence, ["a": .data(first), "b": .data(second)])
    }

    /// Parses unchecked bytes.
    package init(parsing bytes: [UInt8]) throws(StatementFailure) {
        let frame: ObjectFrame
        do throws(ObjectFailure) {
            frame = try ObjectFrame(parsing: bytes)
        } catch {
            throw .object(error)
        }
        guard frame.signature.isEmpty else { throw .badSignatureLength(expected: 0, found: frame.signature.count) }
        var reader = try PropertyListBody.reader(frame.content, .evidence)
        let objects = (try reader.data("a"), try reader.data("b"))
        try reader.finish()
        try self.init(objects.0, objects.1)
        guard try content() == frame.content else { throw .notCanonical }
    }

    package func bytes() throws(StatementFailure) -> [UInt8] {
        let content = try content()
        do throws(ObjectFailure) {
            return try ObjectFrame(content, signature: []).bytes
        } catch {
            throw .object(error)
        }
    }
}

/// One of the objects, and the place that only one object of its device can have.
private enum Claim {
    case statement(SignedStatement)
    case head(SignedObject<HeadObject>)
    case segment(SignedObject<SegmentObject>)

    struct Place: Hashable {
        let device: DeviceIdentifier
        let kind: ObjectKind
        let circle: CircleIdentifier?
        let zone: ZoneClass?
        let number: UInt64
    }

    init(parsing bytes: [UInt8]) throws(StatementFailure) {
        guard bytes.count > 5, let kind = ObjectKind(rawValue: bytes[5]) else { throw .object(.notObject) }
        switch kind {
        case .statement: self = .statement(try SignedStatement(parsing: bytes))
        case .head: self = .head(try SignedObject<HeadObject>(parsing: bytes))
        case .segment: self = .segment(try SignedObject<SegmentObject>(parsing: bytes))
        case .snapshotPart, .invitation, .joinRequest, .evidence: throw .notStatement(kind)
        }
        guard case .statement(let signed) = self else { return }
        // The holder of recovery keys has no memory, and may write two statements with one number. A device may found two circles.
        guard signed.claim.author.device != nil else { throw .authorNotAllowed }
        guard signed.claim.circle != nil else { throw .misplacedFounding }
    }

    var hash: ObjectHash {
        switch self {
        case .statement(let signed): signed.hash
        case .head(let signed): signed.hash
        case .segment(let signed): signed.hash
        }
    }

    var place: Place {
        switch self {
        case .statement(let signed):
            guard let device = signed.claim.author.device else { preconditionFailure("refused when it was parsed") }
            return Place(
                device: device, kind: .statement, circle: signed.claim.circle, zone: nil,
                number: UInt64(signed.claim.index))
        case .head(let signed):
            return Place(
                device: signed.claim.device, kind: .head, circle: signed.claim.circle, zone: nil,
                number: signed.claim.number)
        case .segment(let signed):
            let dot = signed.claim.header.dot
            return Place(
                device: dot.stream.device, kind: .segment, circle: signed.claim.header.circle, zone: dot.stream.zone,
                number: dot.number)
        }
    }

    func verify(
        in circle: CircleIdentifier, with keys: DevicePublicKeys, by verifier: some StatementVerifying
    ) throws(StatementFailure) {
        switch self {
        case .statement(let signed):
            guard signed.claim.circle == circle else { throw .otherCircle }
            _ = try signed.verified(with: .device(keys), by: verifier)
        case .head(let signed): _ = try signed.verified(in: circle, with: keys, by: verifier)
        case .segment(let signed): _ = try signed.verified(in: circle, with: keys, by: verifier)
        }
    }
}
