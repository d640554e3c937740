/// The waits that a device allows at a time: of all processes, and of one.
struct WatchSlots {
    private let limit: Int
    private let limitOfProcess: Int
    /// By process; 0 for callers without one.
    private var waiting: [Int32: Int] = [:]
    private(set) var count = 0

    init(limit: Int, limitOfProcess: Int) {
        self.limit = limit
        self.limitOfProcess = limitOfProcess
    }

    /// Returns false if there are too many.
    mutating func take(_ processID: Int32) -> Bool {
        guard count < limit, waiting[processID, default: 0] < limitOfProcess else { return false }
        count += 1
        waiting[processID, default: 0] += 1
        return true
    }

    mutating func giveBack(_ processID: Int32) {
        count -= 1
        waiting[processID] = waiting[processID].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
