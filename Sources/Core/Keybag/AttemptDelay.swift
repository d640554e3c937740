/// The time for which a device refuses passcodes after failed tries in a row.
package enum AttemptDelay {
    /// After this many failures no passcode is accepted.
    package static let limit = 10

    /// The seconds after the n-th failure before the next try is accepted.
    private static let secondsAfterFailures: [Double] = [0, 0, 0, 0, 0, 60, 300, 900, 900, 3600]

    /// Returns nil once the limit is reached.
    package static func seconds(afterFailures failures: Int) -> Double? {
        precondition(failures >= 0, "there are no negative failures")
        return failures < limit ? secondsAfterFailures[failures] : nil
    }
}
