package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request to remove objects.
package struct RemoveObjects: TransportQuestion {
    package static let number: Int64 = 6

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

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> TransportDone {
        try stores.store(seat).remove(names)
        return TransportDone()
    }
}
