package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request for the circles of the store.
package struct ListCircles: TransportQuestion {
    package static let number: Int64 = 1

    package init() {}
    package var fields: [PropertyValue] { [] }
    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {}

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> CircleList {
        CircleList(try stores.circles())
    }
}
