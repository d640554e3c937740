package import LatchkeyEnclaveContract

/// The kind and state of the sensor, and the state of the enrolment as programs see it.
package struct DescribeBiometry: AuthenticationQuestion, BareKeychainQuestion {
    package typealias Answer = DeviceBiometry

    package static let number: Int64 = 6
    package static let traits: KeychainTraits = .anyContext

    package init() {}

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

package struct DeviceBiometry: Sendable, Hashable {
    package let status: BiometryStatus
    /// Changes whenever the set of enrolled fingers changes; nil if no finger is enrolled.
    package let domainState: [UInt8]?

    package init(_ status: BiometryStatus, domainState: [UInt8]?) {
        self.status = status
        self.domainState = domainState
    }
}

extension DeviceBiometry: KeychainAnswer {
    package static let replyNumber: Int64 = 2

    package func write(to writer: inout FieldWriter) {
        status.write(to: &writer)
        writer.domainState(domainState)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        status = try BiometryStatus(from: &fields)
        domainState = try fields.domainState()
    }
}
