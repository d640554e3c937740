package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request for the text that names the store, so that the daemon can compare it with the one that its owner asked for.
package struct DescribeStore: TransportQuestion {
    package static let number: Int64 = 8

    package init() {}
    package var fields: [PropertyValue] { [] }
    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {}

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> StoreText {
        StoreText(stores.text)
    }
}
