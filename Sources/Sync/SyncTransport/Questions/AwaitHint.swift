package import LatchkeyPropertyListDER
package import LatchkeySyncStore
package import LatchkeyThreading

/// A request to answer when another device has changed something.
package struct AwaitHint: TransportQuestion {
    package static let number: Int64 = 7
    package static let secondsLimit = 600

    package let seat: CircleSeat
    package let seconds: Int

    /// - Parameter seconds: more than ``secondsLimit`` counts as that.
    package init(_ seat: CircleSeat, seconds: Int) {
        self.seat = seat
        self.seconds = min(max(0, seconds), Self.secondsLimit)
    }

    package var fields: [PropertyValue] { seat.fields + [.integer(Int64(seconds))] }

    package init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        seat = try CircleSeat(&fields)
        seconds = try fields.number(in: 0...Int64(Self.secondsLimit))
    }

    package var waitSeconds: Int? { seconds }

    package func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> StoreHint {
        try stores.store(seat).waitForHint(until: end)
    }
}
