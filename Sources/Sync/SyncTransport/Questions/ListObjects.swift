package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request for the names under a prefix.
package struct ListObjects: TransportQuestion {
    package static let number: Int64 = 2

    package let seat: CircleSeat
    package let prefix: ObjectPrefix

    package init(_ seat: CircleSeat, _ prefix: ObjectPrefix) {
        self.seat = seat
        self.prefix = prefix
    }

    package var fields: [PropertyValue] { seat.fields + [.string(prefix.text)] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        prefix = try fields.prefix()
    }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> StoreListing {
        try stores.store(seat).list(prefix)
    }
}
