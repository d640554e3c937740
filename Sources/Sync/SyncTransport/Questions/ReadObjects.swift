package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request for objects.
package struct ReadObjects: TransportQuestion {
    package static let number: Int64 = 3

    package let seat: CircleSeat
    /// At most ``StoreLimits/names``.
    package let names: [StoreObjectName]

    package init(_ seat: CircleSeat, _ names: [StoreObjectName]) {
        self.seat = seat
        self.names = names
    }

    package var fields: [PropertyValue] { seat.fields + [.names(names)] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        names = try fields.names(limit: StoreLimits.names)
    }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> StoreReading {
        try stores.store(seat).read(names)
    }
}
