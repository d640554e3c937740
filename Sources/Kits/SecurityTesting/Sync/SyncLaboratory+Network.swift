extension SyncLaboratory {
    /// The way between the devices of a laboratory: what is lost on it, what comes twice, and how long it takes.
    ///
    /// Everything is drawn from the seed of the laboratory, and takes virtual time alone: ``SyncLaboratory/settle()`` and
    /// ``SyncLaboratory/advance(by:)`` let it pass.
    public struct Network: Sendable, Hashable {
        /// The part of the calls to the store that get no answer, from 0 to less than 1. The store has heard half of them.
        public let loss: Double
        /// The part of the written objects that are written a second time, later, as by a program that copies an old folder. Of a
        /// head this may be an old one: the store goes back until its device writes it again.
        public let duplication: Double
        /// The time from the writing of an object until another device sees it, for each object and device anew: what is written
        /// later may be seen earlier.
        public let delay: ClosedRange<Duration>

        /// Without arguments, the network of a new laboratory: nothing is lost and everything is seen at once.
        public init(
            loss: Double = 0, duplication: Double = 0, delay: ClosedRange<Duration> = .zero ... .zero
        ) {
            precondition((0..<1).contains(loss), "with a loss of everything nothing ever settles: divide the devices")
            precondition((0..<1).contains(duplication), "what comes twice every time comes for ever")
            precondition(delay.lowerBound >= .zero, "nothing is seen before it is written")
            self.loss = loss
            self.duplication = duplication
            self.delay = delay
        }
    }

    /// The network as it is now. Objects that are on their way stay so.
    public var network: Network {
        get { carrier.network }
        set {
            carrier.network = newValue
            log.note(
                "the network has loss \(newValue.loss), duplication \(newValue.duplication), delay \(newValue.delay)")
        }
    }

    // MARK: Partitions

    /// Divides the devices: no side sees what another writes, until ``heal()`` or another division. A side has everything that one of its
    /// devices saw before. Devices that are not named stay where they are.
    public func partition(_ sides: [VirtualDevice]...) {
        carrier.divide(sides.map { $0.map(name(of:)) })
        log.note("partition: " + sides.map { $0.map(name(of:)).joined(separator: ", ") }.joined(separator: " | "))
    }

    /// Ends a partition. The objects of all sides are on their way now.
    public func heal() {
        carrier.unite()
        log.note("the partition ends")
    }
}

extension Duration {
    /// A duration of minutes, for tests in virtual time.
    public static func minutes(_ count: Double) -> Duration { .seconds(60 * count) }
    public static func hours(_ count: Double) -> Duration { .seconds(3600 * count) }
    /// A duration of days of 24 hours.
    public static func days(_ count: Double) -> Duration { .seconds(86_400 * count) }
}
