internal import LatchkeyPropertyListDER

/// The length of an HMAC-SHA256.
package enum AuthenticationCodeFormat: FixedFormat {
    package static let byteCount = 32
}

package typealias AuthenticationCode = FixedBytes<AuthenticationCodeFormat>

/// An object that a code authenticates and not a key of a device: the frame has an HMAC-SHA256 over the signed bytes in the place of a
/// signature.
package struct AuthenticatedObject: Hashable, Sendable {
    /// The content, which must not be used before the code was compared in constant time.
    package let content: ObjectContent
    /// Nil if the object has none: a request that its fingerprint approves.
    package let code: AuthenticationCode?

    package init(_ content: ObjectContent, code: AuthenticationCode?) {
        self.content = content
        self.code = code
    }

    /// Parses unchecked bytes.
    package init(parsing bytes: [UInt8]) throws(StatementFailure) {
        let frame: ObjectFrame
        do throws(ObjectFailure) {
            frame = try ObjectFrame(parsing: bytes)
        } catch {
            throw .object(error)
        }
        code = AuthenticationCode(frame.signature)
        guard code != nil || frame.signature.isEmpty else {
            throw .badSignatureLength(expected: AuthenticationCode.byteCount, found: frame.signature.count)
        }
        content = frame.content
    }

    package func bytes() throws(StatementFailure) -> [UInt8] {
        do throws(ObjectFailure) {
            return try ObjectFrame(content, signature: code?.bytes ?? []).bytes
        } catch {
            throw .object(error)
        }
    }
}

/// An invitation: names the circle and the newest statements to a device whose user has the code.
package struct Invitation: Hashable, Sendable {
    package let circle: CircleIdentifier
    /// The founding statement.
    package let founding: ObjectHash
    /// The newest statements that the member knows: the store cannot present an older circle.
    package let statementHeads: Set<ObjectHash>
    package let member: DeviceIdentifier

    package init(
        circle: CircleIdentifier, founding: ObjectHash, statementHeads: Set<ObjectHash>, member: DeviceIdentifier
    ) {
        self.circle = circle
        self.founding = founding
        self.statementHeads = statementHeads
        self.member = member
    }

    package func content() throws(StatementFailure) -> ObjectContent {
        guard statementHeads.count <= ObjectLimits.statementHeads else {
            throw .tooMany(field: "s", found: statementHeads.count, limit: ObjectLimits.statementHeads)
        }
        return try PropertyListBody.content(
            .invitation,
            [
                "c": .data(circle.bytes), "f": .data(founding.bytes), "m": .data(member.bytes),
                "s": .array(statementHeads.sorted().map { .data($0.bytes) }),
            ])
    }

    package init(parsing content: ObjectContent) throws(StatementFailure) {
        var reader = try PropertyListBody.reader(content, .invitation)
        circle = try reader.identifier("c")
        founding = try reader.hash("f")
        member = try reader.identifier("m")
        statementHeads = try reader.hashes("s", limit: ObjectLimits.statementHeads)
        try reader.finish()
        guard founding.bytes.starts(with: circle.bytes) else { throw .badValue(field: "f") }
        guard try self.content() == content else { throw .notCanonical }
    }
}

/// A request to join: the public keys of a device that wants to be admitted.
package struct JoinRequest: Hashable, Sendable {
    package let circle: CircleIdentifier
    package let keys: DevicePublicKeys
    /// Name and system of the device: sealed under the code, or empty if there is none.
    package let label: [UInt8]

    package init(circle: CircleIdentifier, keys: DevicePublicKeys, label: [UInt8] = []) {
        self.circle = circle
        self.keys = keys
        self.label = label
    }

    package func content() throws(StatementFailure) -> ObjectContent {
        guard label.count <= ObjectLimits.labelByteCount else {
            throw .tooMany(field: "l", found: label.count, limit: ObjectLimits.labelByteCount)
        }
        return try PropertyListBody.content(
            .joinRequest, ["c": .data(circle.bytes), "k": .data(keys.bytes), "l": .data(label)])
    }

    package init(parsing content: ObjectContent) throws(StatementFailure) {
        var reader = try PropertyListBody.reader(content, .joinRequest)
        circle = try reader.identifier("c")
        keys = try DevicePublicKeys(parsing: try reader.data("k"), field: "k")
        label = try reader.data("l", limit: ObjectLimits.labelByteCount)
        try reader.finish()
        guard try self.content() == content else { throw .notCanonical }
    }
}
