/// A part of a snapshot as it is stored: a header, and sealed records.
package struct SnapshotPartObject: LoggedContent, Hashable {
    package let header: Header
    /// Nonce (12), ciphertext, tag (16).
    package let sealedBody: [UInt8]

    /// The part that everyone can read, and that the sealed records are bound to.
    package struct Header: Hashable, Sendable {
        package let circle: CircleIdentifier
        package let device: DeviceIdentifier
        package let number: UInt64
        package let part: Int
        package let epoch: ObjectHash
        package let clock: DeviceClock
        package let vector: VersionVector

        package init(
            circle: CircleIdentifier, device: DeviceIdentifier, number: UInt64, part: Int, epoch: ObjectHash,
            clock: DeviceClock, vector: VersionVector
        ) {
            self.circle = circle
            self.device = device
            self.number = number
            self.part = part
            self.epoch = epoch
            self.clock = clock
            self.vector = vector
        }

        package init(circle: CircleIdentifier, _ draft: SnapshotPartDraft) {
            self.init(
                circle: circle, device: draft.device, number: draft.number, part: draft.part,
                epoch: draft.epoch.hash, clock: draft.clock, vector: draft.vector)
        }

        /// The bytes of the header, which are the associated data of the sealed records.
        package var bytes: [UInt8] {
            circle.bytes + device.bytes + number.bigEndianBytes + UInt16(truncatingIfNeeded: part).bigEndianBytes
                + epoch.bytes + clock.bytes + vector.bytes
        }
    }

    package init(header: Header, sealedBody: [UInt8]) {
        self.header = header
        self.sealedBody = sealedBody
    }

    package init(parsing content: ObjectContent) throws(StatementFailure) {
        guard content.kind == .snapshotPart else { throw .notStatement(content.kind) }
        do throws(ObjectFailure) {
            var reader = ByteReader(content.body)
            let circle: CircleIdentifier = try reader.identifier()
            let device: DeviceIdentifier = try reader.identifier()
            let number = try reader.number(UInt64.self)
            let part = Int(try reader.number(UInt16.self))
            guard number > 0, part < ObjectLimits.snapshotParts else { throw .notCanonical }
            let epoch = try reader.hash()
            guard let clock = DeviceClock(try reader.take(DeviceClock.byteCount)) else { throw .notCanonical }
            let vector = try VersionVector(&reader)
            header = Header(
                circle: circle, device: device, number: number, part: part, epoch: epoch, clock: clock, vector: vector)
            guard reader.count >= ObjectLimits.sealingByteCount else { throw .truncated }
            sealedBody = reader.remainder()
        } catch {
            throw .object(error)
        }
    }

    package var circle: CircleIdentifier { header.circle }
    package var writer: DeviceIdentifier { header.device }

    package func content() throws(StatementFailure) -> ObjectContent {
        do throws(ObjectFailure) {
            try header.vector.checkLimit()
            guard header.part < ObjectLimits.snapshotParts else {
                throw .tooLarge(found: header.part + 1, limit: ObjectLimits.snapshotParts)
            }
            return try ObjectContent(kind: .snapshotPart, body: header.bytes + sealedBody)
        } catch {
            throw .object(error)
        }
    }
}

extension VerifiedObject<SnapshotPartObject> {
    /// The part as the core takes it.
    package var part: SealedSnapshotPart {
        let header = content.header
        return SealedSnapshotPart(
            device: header.device, number: header.number, part: header.part, epoch: header.epoch,
            vector: header.vector, clock: header.clock, seal: seal)
    }
}
