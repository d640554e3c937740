package import LatchkeySyncCore
package import LatchkeySyncStore

/// Objects with the outside of real ones: their bodies and signatures mean nothing.
package enum SampleObjects {
    /// - Parameter seed: different bodies for different seeds.
    package static func object(_ kind: ObjectKind, seed: UInt64 = 1, bodyByteCount: Int = 700) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let body = (0..<bodyByteCount).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        do throws(ObjectFailure) {
            return try ObjectFrame(ObjectContent(kind: kind, body: body), signature: Array(body.suffix(64))).bytes
        } catch {
            preconditionFailure("the object is within its limit: \(error)")
        }
    }

    package static func device(_ number: UInt8) -> DeviceIdentifier { identifier(number) }
    package static func circle(_ number: UInt8) -> CircleIdentifier { identifier(number) }
    package static func exchange(_ number: UInt8) -> ExchangeName { identifier(number) }

    private static func identifier<Subject>(_ number: UInt8) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>([UInt8](repeating: number, count: 16)) else {
            preconditionFailure("an identifier has 16 bytes")
        }
        return identifier
    }

    package static func hash(_ number: UInt64) -> ObjectHash {
        ObjectHash(words: (number &* 0x9E37_79B9_7F4A_7C15, number, 0, 1))
    }

    package static func segment(
        _ number: UInt64, of device: DeviceIdentifier, _ zone: ZoneClass = .c
    ) -> StoreObjectName {
        .segment(Dot(StreamIdentifier(device, zone), number))
    }

    /// One object of each kind of name that a device writes with ``SyncStore/create(_:)``.
    package static func ofEachKind(by device: DeviceIdentifier, seed: UInt64 = 1) -> [StoreObjectName: [UInt8]] {
        [
            .statement(hash(seed)): object(.statement, seed: seed),
            .exchange(exchange(UInt8(truncatingIfNeeded: seed))): object(.invitation, seed: seed),
            .evidence(hash(seed &+ 1)): object(.evidence, seed: seed),
            segment(seed, of: device, .a): object(.segment, seed: seed),
            segment(seed, of: device, .c): object(.segment, seed: seed &+ 1),
            .snapshotPart(device, number: seed, part: 0): object(.snapshotPart, seed: seed),
            .snapshotPart(device, number: seed, part: 1): object(.snapshotPart, seed: seed &+ 1),
        ]
    }
}
