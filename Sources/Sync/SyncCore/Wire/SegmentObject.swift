/// A segment as it is stored: a header, and sealed records.
package struct SegmentObject: LoggedContent, Hashable {
    package let header: Header
    /// Nonce (12), ciphertext, tag (16).
    package let sealedBody: [UInt8]

    /// The part that everyone can read, and that the sealed records are bound to.
    package struct Header: Hashable, Sendable {
        package let circle: CircleIdentifier
        package let dot: Dot
        package let epoch: ObjectHash
        package let previous: ObjectHash?
        package let knows: VersionVector

        package init(
            circle: CircleIdentifier, dot: Dot, epoch: ObjectHash, previous: ObjectHash?, knows: VersionVector
        ) {
            self.circle = circle
            self.dot = dot
            self.epoch = epoch
            self.previous = previous
            self.knows = knows
        }

        package init(circle: CircleIdentifier, _ draft: SegmentDraft) {
            self.init(
                circle: circle, dot: draft.dot, epoch: draft.epoch.hash, previous: draft.previous, knows: draft.knows)
        }

        /// The bytes of the header, which are the associated data of the sealed records.
        package var bytes: [UInt8] {
            circle.bytes + dot.bytes + epoch.bytes + (previous ?? .none).bytes + knows.bytes
        }
    }

    package init(header: Header, sealedBody: [UInt8]) {
        self.header = header
        self.sealedBody = sealedBody
    }

    package init(parsing content: ObjectContent) throws(StatementFailure) {
        guard content.kind == .segment else { throw .notStatement(content.kind) }
        do throws(ObjectFailure) {
            var reader = ByteReader(content.body)
            let circle: CircleIdentifier = try reader.identifier()
            guard let dot = Dot(try reader.take(Dot.byteCount)) else { throw .notCanonical }
            let epoch = try reader.hash()
            let previous = try reader.hash()
            // The first segment, and no other, has nothing before it.
            guard (previous == .none) == (dot.number == 1) else { throw .notCanonical }
            let knows = try VersionVector(&reader)
            header = Header(
                circle: circle, dot: dot, epoch: epoch, previous: previous == .none ? nil : previous, knows: knows)
            guard reader.count >= ObjectLimits.sealingByteCount else { throw .truncated }
            sealedBody = reader.remainder()
        } catch {
            throw .object(error)
        }
    }

    package var circle: CircleIdentifier { header.circle }
    package var writer: DeviceIdentifier { header.dot.stream.device }

    package func content() throws(StatementFailure) -> ObjectContent {
        do throws(ObjectFailure) {
            try header.knows.checkLimit()
            return try ObjectContent(kind: .segment, body: header.bytes + sealedBody)
        } catch {
            throw .object(error)
        }
    }
}

extension VerifiedObject<SegmentObject> {
    /// The segment as the core takes it.
    package var segment: SealedSegment {
        let header = content.header
        return SealedSegment(
            dot: header.dot, epoch: header.epoch, previous: header.previous, knows: header.knows, seal: seal)
    }
}
