package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request for the names of the statements, and for the heads that are not as the daemon knows them.
package struct ReadNews: TransportQuestion {
    package static let number: Int64 = 9

    package let seat: CircleSeat
    /// At most ``StoreLimits/names``.
    package let known: [StoreObjectName: HeadMark]

    package init(_ seat: CircleSeat, knowing known: [StoreObjectName: HeadMark]) {
        self.seat = seat
        self.known = known
    }

    package var fields: [PropertyValue] { seat.fields + [.objects(known.mapValues(\.bytes))] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        var known: [StoreObjectName: HeadMark] = [:]
        for (name, bytes) in try fields.objects() {
            guard let mark = HeadMark(bytes: bytes) else { throw .badValue }
            known[name] = mark
        }
        self.known = known
    }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> StoreNews {
        try stores.store(seat).news(knowing: known)
    }
}
