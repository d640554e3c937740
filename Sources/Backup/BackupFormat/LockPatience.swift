import Glibc

/// The patience of a run, or of a reader, with a lock that the other side holds.
package struct LockPatience {
    /// Makes the question that is asked between two tries: false gives up.
    private let begin: () -> () -> Bool

    /// Gives up at once.
    package static var none: LockPatience { LockPatience { false } }

    /// For as long as a command waits that its user did not interrupt.
    package static let ofCommands: Duration = .seconds(60)

    private static let pauseMicroseconds: UInt32 = 20_000

    /// - Parameter waitsOn: called between two tries; pauses as long as it wants, and returns false to give up.
    package init(_ waitsOn: @escaping () -> Bool) {
        begin = { waitsOn }
    }

    /// Pauses between two tries until the time is over.
    ///
    /// - Parameter isWanted: returns false to give up before.
    package static func upTo(
        _ limit: Duration = ofCommands, while isWanted: @escaping () -> Bool = { true }
    ) -> LockPatience {
        LockPatience(begin: {
            let end = ContinuousClock.now + limit
            return {
                guard isWanted(), ContinuousClock.now < end else { return false }
                usleep(pauseMicroseconds)
                return true
            }
        })
    }

    private init(begin: @escaping () -> () -> Bool) {
        self.begin = begin
    }

    /// Calls `body` until it returns something; nil if the patience ends before.
    func patiently<Value, Failure: Error>(_ body: () throws(Failure) -> Value?) throws(Failure) -> Value? {
        var waitsOn: (() -> Bool)?
        while true {
            if let value = try body() { return value }
            let question = waitsOn ?? begin()
            waitsOn = question
            guard question() else { return nil }
        }
    }
}
