package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request to create objects and then to replace the head of the device.
package struct PublishHead: TransportQuestion {
    package static let number: Int64 = 5

    package let seat: CircleSeat
    package let objects: [StoreObjectName: [UInt8]]
    package let head: [UInt8]
    package let replaced: HeadMark?

    package init(
        _ seat: CircleSeat, _ objects: [StoreObjectName: [UInt8]], head: [UInt8], replacing replaced: HeadMark?
    ) {
        self.seat = seat
        self.objects = objects
        self.head = head
        self.replaced = replaced
    }

    package var fields: [PropertyValue] {
        seat.fields + [.objects(objects), .data(head), .data(replaced?.bytes ?? [])]
    }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        objects = try fields.objects()
        head = try fields.data()
        let mark = try fields.data()
        replaced = HeadMark(bytes: mark)
        guard replaced != nil || mark.isEmpty else { throw .badValue }
    }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> HeadMark {
        try stores.store(seat).publish(objects, head: head, replacing: replaced)
    }
}
