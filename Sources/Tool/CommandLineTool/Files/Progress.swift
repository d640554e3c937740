/// The progress of a piece of work, as one line for a terminal.
package struct Progress: Sendable, Equatable {
    /// The name of the work: one word.
    package let phase: String
    /// In bytes; nil if only the end will tell.
    package let total: Int?
    package var done = 0
    /// Since the phase began.
    package var seconds = 0.0

    package init(phase: String, total: Int?, done: Int = 0, seconds: Double = 0) {
        self.phase = phase
        self.total = total
        self.done = done
        self.seconds = seconds
    }

    /// The line, cut to fit; what matters most stands first.
    package func line(columns: Int) -> String {
        // One column stays free: in the last one some terminals begin a new line.
        let room = max(columns - 1, 0)
        let amount = total.map { "\(FileSize.text(done)) of \(FileSize.text($0))" } ?? FileSize.text(done)
        var parts = [percent.map { "\(phase) \(Self.padded($0, 3))%" } ?? phase, amount]
        if let rate { parts.append("\(FileSize.text(rate))/s") }
        if let remaining { parts.append("\(Self.clock(remaining)) left") }
        let text = parts.joined(separator: "  ")
        guard let fraction, let first = parts.first else { return String(text.prefix(room)) }
        let barWidth = min(30, room - text.count - 4)
        guard barWidth >= 8 else { return String(text.prefix(room)) }
        let filled = Int((Double(barWidth) * fraction).rounded(.down))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: barWidth - filled)
        return ([first, "[\(bar)]"] + parts.dropFirst()).joined(separator: "  ")
    }

    /// Between 0 and 1. A file that grows meanwhile stays at 1.
    private var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(1, Double(done) / Double(total)) : 1
    }

    /// Rounded down: 100 is everything.
    private var percent: String? { fraction.map { String(Int($0 * 100)) } }

    /// Bytes per second, once there is something to tell it from.
    private var rate: Int? {
        guard seconds >= 0.5, done > 0 else { return nil }
        return Int(Double(done) / seconds)
    }

    private var remaining: Int? {
        guard let total, total > done, let rate, rate > 0 else { return nil }
        return (total - done + rate - 1) / rate
    }

    /// `0:09`, `12:30`, `1:02:03`.
    static func clock(_ seconds: Int) -> String {
        let minutes = seconds / 60
        let tail = padded(String(seconds % 60), 2, with: "0")
        guard minutes >= 60 else { return "\(minutes):\(tail)" }
        return "\(minutes / 60):\(padded(String(minutes % 60), 2, with: "0")):\(tail)"
    }

    private static func padded(_ text: String, _ count: Int, with filler: Character = " ") -> String {
        String(repeating: filler, count: max(0, count - text.count)) + text
    }
}
