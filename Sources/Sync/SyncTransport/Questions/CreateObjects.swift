package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request to create objects.
package struct CreateObjects: TransportQuestion {
    package static let number: Int64 = 4

    package let seat: CircleSeat
    package let objects: [StoreObjectName: [UInt8]]

    package init(_ seat: CircleSeat, _ objects: [StoreObjectName: [UInt8]]) {
        self.seat = seat
        self.objects = objects
    }

    package var fields: [PropertyValue] { seat.fields + [.objects(objects)] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        objects = try fields.objects()
    }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> TransportDone {
        try stores.store(seat).create(objects)
        return TransportDone()
    }
}
