package import LatchkeyPropertyListDER
package import LatchkeySyncCore
package import LatchkeySyncStore
package import LatchkeyThreading

/// A question of the daemon to the transport, with the type of its answer.
///
/// Every question may be asked again: the calls of ``SyncStore`` are made so that repeating one does no harm.
package protocol TransportQuestion<Answer>: Sendable {
    associatedtype Answer: TransportAnswer

    /// Its number in `Docs/Formats/sync.md`.
    static var number: Int64 { get }
    var fields: [PropertyValue] { get }
    init(_ fields: inout TransportFields) throws(TransportMessageFailure)

    /// The greatest number of seconds that the answer waits for something to happen. Nil if it comes at once.
    var waitSeconds: Int? { get }
    func answer(by stores: TransportStores, until end: Cancellation) throws(StoreFailure) -> Answer
}

extension TransportQuestion {
    package var waitSeconds: Int? { nil }
}

/// The answer to a question.
package protocol TransportAnswer: Sendable {
    var fields: [PropertyValue] { get }
    init(_ fields: inout TransportFields) throws(TransportMessageFailure)
}

/// All questions to the transport.
package enum TransportQuestions {
    package static let all: [any TransportQuestion.Type] = [
        ListCircles.self, ListObjects.self, ReadObjects.self, CreateObjects.self, PublishHead.self, RemoveObjects.self,
        AwaitHint.self, DescribeStore.self, ReadNews.self,
    ]
}

/// The circle that a question is about, and the device that asks.
package struct CircleSeat: Hashable, Sendable {
    package let circle: CircleIdentifier
    package let device: DeviceIdentifier

    package init(circle: CircleIdentifier, device: DeviceIdentifier) {
        self.circle = circle
        self.device = device
    }

    var fields: [PropertyValue] { [.data(circle.bytes), .data(device.bytes)] }

    init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        circle = try fields.identifier()
        device = try fields.identifier()
    }
}
