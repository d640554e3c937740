/// The owner's settings of a device; kept in the keybag's header, so that they cannot be changed separately.
package struct DeviceSettings: Sendable, Equatable {
    /// At most four hours, the longest "require passcode" choice of iOS.
    package static let gracePeriodRange: ClosedRange<Double> = 0...14_400

    package var eraseAfterTenFailures: Bool
    package var gracePeriodSeconds: Double
    /// The time for which the device stays unlocked unused; nil if it does not lock by itself.
    package var lockAfterSeconds: Double?

    /// From a minute to a day.
    package static let lockAfterRange: ClosedRange<Double> = 60...86_400

    package init(
        eraseAfterTenFailures: Bool = false, gracePeriodSeconds: Double = 10, lockAfterSeconds: Double? = nil
    ) {
        self.eraseAfterTenFailures = eraseAfterTenFailures
        self.gracePeriodSeconds = gracePeriodSeconds
        self.lockAfterSeconds = lockAfterSeconds
    }

    init(records: [KeybagRecord]) throws(KeybagFailure) {
        let longest = UInt32(Self.gracePeriodRange.upperBound * 1000)
        eraseAfterTenFailures = try records.number(.eraseOption, in: 0...1) == 1
        gracePeriodSeconds = Double(try records.number(.gracePeriod, in: 0...longest) ?? 10_000) / 1000
        let lockAfter = UInt32(Self.lockAfterRange.lowerBound * 1000)...UInt32(Self.lockAfterRange.upperBound * 1000)
        lockAfterSeconds = try records.number(.lockAfter, in: lockAfter).map { Double($0) / 1000 }
    }

    var records: [KeybagRecord] {
        [
            KeybagRecord(.eraseOption, eraseAfterTenFailures ? 1 : 0),
            KeybagRecord(.gracePeriod, UInt32((gracePeriodSeconds * 1000).rounded())),
        ] + (lockAfterSeconds.map { [KeybagRecord(.lockAfter, UInt32(($0 * 1000).rounded()))] } ?? [])
    }
}
